/// Decides in which frames to look for new faces, and how thoroughly.
///
/// With no face, always: one that comes should be seen at once. With as many as are wanted, never. In between at an interval, and
/// in every frame for a moment after a face was lost. Small faces take longer to look for: while no face is followed, they are
/// looked for in every search at high accuracy, otherwise after a loss and, now and then, while there is no large one. While faces
/// are followed, every search is for small ones, and every other one for large ones too; it may be put off while nothing changes
/// beside them.
struct SearchSchedule: Hashable, Sendable {
    /// What to do in a frame.
    enum Search: Hashable, Sendable {
        case none
        case large
        case largeElseSmall
        /// Faces up to about 0.4 of the picture, which are nearly all that come beside another one.
        case small
        case largeAndSmall
    }

    /// Seconds of media time.
    let interval: Double
    /// How long every frame is searched after a loss, and how often for small faces while there is none: half a second at the
    /// most, as a longer interval is set to spend less time.
    private var moment: Double { min(interval, 0.5) }
    /// How often small faces are looked for while the scene changes without a face: in each of the ten frames a second
    /// that are searched then. A face of an eighth of the picture that walks by is found in some of them only.
    private var changingMoment: Double { min(interval, 0.08) }
    /// How soon after a search beside followed faces there can be another one, unless the scene there changes all the time.
    private var calmInterval: Double { min(interval, 0.15) }
    /// How many faces are wanted.
    let maximumFaces: Int
    /// Whether every search without a face is for small faces too.
    let alwaysSmall: Bool
    /// For how long a search is put off, in seconds: three frames of thirty a second.
    private static let postponement = 0.095
    /// Seconds after which a search is made even though nothing changed.
    private static let longestPause = 1.0

    // When each of these happened last.
    private(set) var lastSearch, lastSmallSearch, lastLoss, lastPostponement: Double?
    /// Whether the latest search was for large faces too.
    private(set) var wasLarge = false
    /// How many searches beside followed faces are still to follow each other soon, after a cut.
    private(set) var hurried = 0
    private static let searchesAfterCut = 3

    /// What to look for in a frame of that time in seconds, with so many faces followed; `isChanging` says whether the scene without
    /// them has been changing for a while.
    func due(at mediaTime: Double, following count: Int, isChanging: Bool = false) -> Search {
        guard count < maximumFaces else { return .none }
        if hasLost(at: mediaTime) || (alwaysSmall && count == 0) { return .largeAndSmall }
        guard count == 0 else {
            let next = wasLarge ? Search.small : .largeAndSmall
            if hurried == Self.searchesAfterCut { return next }
            guard hasPassed(isChanging && !isHurried ? interval : calmInterval, since: lastSearch, at: mediaTime),
                hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
            else { return .none }
            return next
        }
        let pause = isChanging ? changingMoment : moment
        return hasPassed(pause, since: lastSmallSearch, at: mediaTime) ? .largeElseSmall : .large
    }

    /// What to look for beside followed faces although nothing has changed there: every second, small and large faces in turn.
    func overdue(at mediaTime: Double) -> Search {
        guard hasPassed(max(interval, Self.longestPause), since: lastSearch, at: mediaTime) else { return .none }
        return wasLarge ? .small : .large
    }

    /// Whether to compare the scene beside followed faces with that at the latest search, though no search is due: it may
    /// have been cut.
    func canCompare(at mediaTime: Double, following count: Int) -> Bool {
        count < maximumFaces && hasPassed(Self.postponement, since: lastSearch, at: mediaTime)
            && hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
    }

    /// Whether another search is to follow soon, although the scene changes all the time or not at all.
    var isHurried: Bool { hurried > 0 }

    /// Notes that much of the scene changed at once: the next searches beside followed faces follow each other soon.
    mutating func noteCut() { hurried = Self.searchesAfterCut }

    /// Notes that a search for further faces was put off.
    mutating func notePostponement(at mediaTime: Double) { lastPostponement = mediaTime }

    /// Whether a face was lost a moment ago.
    func hasLost(at mediaTime: Double) -> Bool { !hasPassed(moment, since: lastLoss, at: mediaTime) }

    /// Whether that many seconds have passed since then; a time before it is a source that began anew.
    private func hasPassed(_ seconds: Double, since time: Double?, at mediaTime: Double) -> Bool {
        guard let time else { return true }
        return mediaTime - time >= seconds || mediaTime < time
    }

    mutating func noteSearch(_ search: Search, at mediaTime: Double) {
        lastSearch = mediaTime
        lastPostponement = nil
        hurried = max(0, hurried - 1)
        if search != .large { lastSmallSearch = mediaTime }
        wasLarge = search != .small
    }

    mutating func noteLoss(at mediaTime: Double) { lastLoss = mediaTime }

    /// Forgets all that happened.
    mutating func reset() {
        self = SearchSchedule(interval: interval, maximumFaces: maximumFaces, alwaysSmall: alwaysSmall)
    }
}
