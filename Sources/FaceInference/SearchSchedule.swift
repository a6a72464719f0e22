/// Decides in which frames to look for new faces, and how thoroughly.
///
/// With no face, always: that is when a coming face should be seen at once. With as many as are wanted, never. In between
/// at an interval, and in every frame for that long after a face was lost: it is probably still there.
/// Small faces take longer to look for: at high accuracy they are looked for in every search, otherwise after a loss and,
/// at the interval, while there is neither a face nor a large one to be found.
struct SearchSchedule: Hashable, Sendable {
    /// What to do in a frame.
    enum Search: Hashable, Sendable {
        case none
        case large
        case largeElseSmall
        case largeAndSmall
    }

    /// Seconds of media time.
    let interval: Double
    /// How many faces are wanted.
    let maximumFaces: Int
    /// Whether every search is for small faces too.
    let alwaysSmall: Bool

    private var lastSearch: Double?
    private var lastSmallSearch: Double?
    private var lastLoss: Double?

    init(interval: Double, maximumFaces: Int, alwaysSmall: Bool) {
        self.interval = interval
        self.maximumFaces = maximumFaces
        self.alwaysSmall = alwaysSmall
    }

    /// What to look for in a frame in which that many faces are followed.
    func due(at mediaTime: Double, following count: Int) -> Search {
        guard count < maximumFaces else { return .none }
        let hasLost = lastLoss.map { !hasPassed($0, at: mediaTime) } ?? false
        guard count == 0 || hasLost || hasPassed(lastSearch, at: mediaTime) else { return .none }
        if alwaysSmall || hasLost { return .largeAndSmall }
        return count == 0 && hasPassed(lastSmallSearch, at: mediaTime) ? .largeElseSmall : .large
    }

    /// Whether the interval since then has passed; a time before it is a source that began anew.
    private func hasPassed(_ time: Double?, at mediaTime: Double) -> Bool {
        guard let time else { return true }
        return mediaTime - time >= interval || mediaTime < time
    }

    /// Notes that a search was made.
    mutating func searched(_ search: Search, at mediaTime: Double) {
        lastSearch = mediaTime
        if search != .large { lastSmallSearch = mediaTime }
    }

    /// Notes that a face was lost.
    mutating func lost(at mediaTime: Double) { lastLoss = mediaTime }

    /// Forgets what was before.
    mutating func reset() { (lastSearch, lastSmallSearch, lastLoss) = (nil, nil, nil) }
}
