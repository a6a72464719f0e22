/// Decides in which frames to search for further faces.
///
/// While no face is followed, `SceneGate` decides alone. Once `maximumFaces` are followed, no search is due. Otherwise
/// searches come at an interval, and more often for a moment after a face was lost. They may be postponed while nothing
/// changes outside the followed faces.
struct SearchSchedule: Hashable, Sendable {
    /// The interval between searches, in seconds of media time, while the scene outside followed faces keeps changing.
    let interval: Double
    let maximumFaces: Int
    /// The interval between the frequent searches after a face was lost, in seconds.
    private static let pauseAfterLoss = 0.095
    /// The interval between searches while faces are followed, in seconds, unless the rest of the scene keeps changing.
    private var calmInterval: Double { min(interval, 0.15) }
    /// How long a search is postponed, in seconds: three frames at 30 a second.
    private static let postponement = 0.095
    /// The maximum time between searches, in seconds, while only followed faces change; `interval` if that is longer.
    private static let longestPause = 5.0
    private static let searchesAfterCut = 3

    /// The media times, in seconds, of the last search, the last lost face and the last postponed search.
    private(set) var lastSearch: Double?
    var lastLoss: Double?
    var lastPostponement: Double?
    /// The number of closely spaced searches that are still to come after a cut, while faces are followed.
    private(set) var hurried = 0
    /// Whether the last search was for large faces only.
    private(set) var wasCoarse = false

    /// Whether a search is due at a media time, in seconds, while `count` faces are followed. `isChanging` says whether
    /// the scene outside them keeps changing.
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

    /// Whether to search although nothing has changed outside the followed faces.
    func isOverdue(at mediaTime: Double) -> Bool {
        hasPassed(max(interval, Self.longestPause), since: lastSearch, at: mediaTime)
    }

    /// Whether to check the scene outside the followed faces for a cut, although no search is due.
    func canCompare(at mediaTime: Double, following count: Int) -> Bool {
        count < maximumFaces && hasPassed(Self.postponement, since: lastSearch, at: mediaTime)
            && hasPassed(Self.postponement, since: lastPostponement, at: mediaTime)
    }

    /// Whether another search must follow soon after a cut, even if the scene does not change.
    var isHurried: Bool { hurried > 0 }

    /// Whether the next search may be for large faces only, at a quarter of the cost. Such searches alternate with
    /// those for small faces where `mayAlternate` allows that.
    func mayBeCoarse(mayAlternate: Bool) -> Bool { mayAlternate && !isHurried && !wasCoarse }

    /// Notes a cut, after which the next searches come closely spaced even if faces are still followed.
    mutating func noteCut() { hurried = Self.searchesAfterCut }

    /// Whether a face was lost in the last 0.5 seconds, or in the last `interval` if that is shorter. Searches are then
    /// frequent.
    func hasLost(at mediaTime: Double) -> Bool { !hasPassed(min(interval, 0.5), since: lastLoss, at: mediaTime) }

    /// Whether `seconds` have passed since `time`, or `mediaTime` is before `time` because the source has begun anew.
    private func hasPassed(_ seconds: Double, since time: Double?, at mediaTime: Double) -> Bool {
        guard let time else { return true }
        return mediaTime - time >= seconds || mediaTime < time
    }

    /// Notes a search at a media time, in seconds. `isCoarse` says that it was for large faces only.
    mutating func noteSearch(at mediaTime: Double, isCoarse: Bool = false) {
        lastSearch = mediaTime
        wasCoarse = isCoarse
        lastPostponement = nil
        hurried = max(0, hurried - 1)
    }

    mutating func reset() { self = SearchSchedule(interval: interval, maximumFaces: maximumFaces) }
}
