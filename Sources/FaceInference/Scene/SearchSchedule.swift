/// Decides in which frames to search for further faces.
///
/// While no face is followed, it searches whenever the scene changes, to see one that comes at once; with all that are
/// wanted, never. In between it searches at an interval, and often for a moment after a face was lost; a search beside
/// followed faces may be put off while nothing changes there.
struct SearchSchedule: Hashable, Sendable {
    /// The seconds of media time between searches beside followed faces.
    let interval: Double
    let maximumFaces: Int
    /// The seconds of frequent searches after a loss: 0.5 at most, since a longer interval is set to spend less time.
    private var moment: Double { min(interval, 0.5) }
    /// The seconds between two searches after a loss.
    private static let pauseAfterLoss = 0.095
    /// The seconds from a search beside followed faces to the next one, unless the scene there changes all the time.
    private var calmInterval: Double { min(interval, 0.15) }
    /// The seconds for which a search is put off: three frames at thirty a second.
    private static let postponement = 0.095
    /// The seconds after which a search is made although nothing changed.
    private static let longestPause = 5.0
    private static let searchesAfterCut = 3

    /// The times of the last search, the last loss and the last search that was put off.
    private(set) var lastSearch: Double?
    private(set) var lastLoss: Double?
    private(set) var lastPostponement: Double?
    /// The number of searches beside followed faces that must still follow each other closely, after a cut.
    private(set) var hurried = 0
    /// Whether the last search was one for large faces only.
    private(set) var wasCoarse = false

    /// Whether to search a frame of that time in seconds, with `count` faces followed; `isChanging` says whether the
    /// scene beside them has been changing for a while.
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

    /// Whether to compare the scene beside followed faces with that at the last search, though none is due, for cuts.
    func canCompare(at mediaTime: Double, following count: Int) -> Bool {
        count < maximumFaces && hasPassed(Self.postponement, since: lastSearch, at: mediaTime)
            && hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
    }

    /// Whether another search must follow soon, whether the scene changes or not.
    var isHurried: Bool { hurried > 0 }

    /// Whether the next search beside followed faces may be for large faces only, at a quarter of the cost: every other
    /// one while the scene there changes all the time.
    func mayBeCoarse(isChanging: Bool) -> Bool { isChanging && !isHurried && !wasCoarse }

    /// Notes a cut: the next searches beside followed faces follow each other closely.
    mutating func noteCut() { hurried = Self.searchesAfterCut }

    mutating func notePostponement(at mediaTime: Double) { lastPostponement = mediaTime }

    func hasLost(at mediaTime: Double) -> Bool { !hasPassed(moment, since: lastLoss, at: mediaTime) }

    /// Whether `seconds` have passed since a time; a time before it is that of a source that began anew.
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

    mutating func noteLoss(at mediaTime: Double) { lastLoss = mediaTime }

    mutating func reset() { self = SearchSchedule(interval: interval, maximumFaces: maximumFaces) }
}
