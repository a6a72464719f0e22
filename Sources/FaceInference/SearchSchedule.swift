/// Decides in which frames to search for further faces.
///
/// While no face is followed, whenever the scene changes: one that comes should be seen at once. With as many as are wanted, never.
/// In between at an interval, and often for a moment after a face was lost; a search beside followed faces may be put off while
/// nothing changes there.
struct SearchSchedule: Hashable, Sendable {
    /// Seconds of media time between searches beside followed faces.
    let interval: Double
    /// How many faces are wanted.
    let maximumFaces: Int
    /// How long the picture is searched often after a loss, in seconds: half a second at the most, as a longer interval is set to
    /// spend less time.
    private var moment: Double { min(interval, 0.5) }
    /// Seconds between two searches after a loss.
    private static let pauseAfterLoss = 0.095
    /// Seconds from a search beside followed faces to the next one, unless the scene there changes all the time.
    private var calmInterval: Double { min(interval, 0.15) }
    /// For how long a search is put off, in seconds: three frames of thirty a second.
    private static let postponement = 0.095
    /// Seconds after which a search is made even though nothing changed.
    private static let longestPause = 3.0
    private static let searchesAfterCut = 3

    /// The times of the last search, the last loss and the last search that was put off.
    private(set) var lastSearch: Double?
    private(set) var lastLoss: Double?
    private(set) var lastPostponement: Double?
    /// How many searches beside followed faces are still to follow each other soon, after a cut.
    private(set) var hurried = 0
    /// Whether the last search was one for large faces only.
    private(set) var wasCoarse = false

    /// Whether to search a frame of that time in seconds, with `count` faces followed; `isChanging` says whether the scene without
    /// them has been changing for a while.
    func isDue(at mediaTime: Double, following count: Int, isChanging: Bool = false) -> Bool {
        guard count < maximumFaces else { return false }
        if let lastLoss, hasLost(at: mediaTime) {
            return lastSearch ?? -.infinity <= lastLoss
                || hasPassed(Self.pauseAfterLoss, since: lastSearch, at: mediaTime)
        }
        guard count > 0, hurried < Self.searchesAfterCut else { return true }
        return hasPassed(isChanging && !isHurried ? interval : calmInterval, since: lastSearch, at: mediaTime)
            && hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
    }

    /// Whether to search beside followed faces although nothing has changed there.
    func isOverdue(at mediaTime: Double) -> Bool {
        hasPassed(max(interval, Self.longestPause), since: lastSearch, at: mediaTime)
    }

    /// Whether to compare the scene beside followed faces with that at the latest search, though no search is due: it may
    /// have been cut.
    func canCompare(at mediaTime: Double, following count: Int) -> Bool {
        count < maximumFaces && hasPassed(Self.postponement, since: lastSearch, at: mediaTime)
            && hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
    }

    /// Whether another search is to follow soon, although the scene changes all the time or not at all.
    var isHurried: Bool { hurried > 0 }

    /// Whether the next search beside followed faces may be for large faces only, at a quarter of the cost: every other one while the scene
    /// there changes all the time.
    func mayBeCoarse(isChanging: Bool) -> Bool { isChanging && !isHurried && !wasCoarse }

    /// Notes that much of the scene changed at once: the next searches beside followed faces follow each other soon.
    mutating func noteCut() { hurried = Self.searchesAfterCut }

    /// Notes that a search for further faces was put off.
    mutating func notePostponement(at mediaTime: Double) { lastPostponement = mediaTime }

    /// Whether a face was lost a moment ago.
    func hasLost(at mediaTime: Double) -> Bool { !hasPassed(moment, since: lastLoss, at: mediaTime) }

    /// Whether `seconds` have passed since a time; a time before it is a source that began anew.
    private func hasPassed(_ seconds: Double, since time: Double?, at mediaTime: Double) -> Bool {
        guard let time else { return true }
        return mediaTime - time >= seconds || mediaTime < time
    }

    /// Notes that a frame of that time was searched, for all faces or for large ones only.
    mutating func noteSearch(at mediaTime: Double, isCoarse: Bool = false) {
        lastSearch = mediaTime
        wasCoarse = isCoarse
        lastPostponement = nil
        hurried = max(0, hurried - 1)
    }

    /// Notes that a face was lost in a frame of that time.
    mutating func noteLoss(at mediaTime: Double) { lastLoss = mediaTime }

    /// Forgets all that happened.
    mutating func reset() { self = SearchSchedule(interval: interval, maximumFaces: maximumFaces) }
}
