import FaceMetadata

/// What keeps a face that is not seen: that its place goes on showing a person who moves.
struct Hold: Sendable {
    /// Seconds between two looks at the place.
    static let interval = 0.5
    /// For how many seconds a person may seem not to move, whose head is there and who may be a jacket on a chair.
    private static let motionless = (head: 10.0, body: 1.5)
    /// For how many seconds other people may hide the place: since the person was there, and after the first look.
    private static let cover = (atAll: 1.5, fromFirstLook: 0.8)

    /// The frame in which a person was known to be there last.
    private(set) var lastThere: FrameStamp
    private var lastMotion: Double
    private var lastReading: Double?
    private var coverEnd = -Double.infinity

    /// Begins to wait for a face that was seen last in that frame.
    init(since lastSeen: FrameStamp) {
        lastThere = lastSeen
        lastMotion = lastSeen.mediaTime
    }

    /// Whether the place is to be looked at, at a time in seconds.
    func isDue(at time: Double) -> Bool { lastReading.map { time - $0 >= Self.interval - Track.slack } ?? true }

    /// Takes in what the place shows in a frame; nil if it was not looked at.
    /// - Returns: Whether the person is still there.
    mutating func update(_ reading: PlaceReading?, at stamp: FrameStamp) -> Bool {
        let time = stamp.mediaTime
        if lastReading == nil { coverEnd = time + Self.cover.fromFirstLook }
        if reading != nil { lastReading = time }
        coverEnd = max(coverEnd, lastThere.mediaTime + Self.cover.atAll)
        switch reading {
        case .person(let moved, let head):
            if moved { lastMotion = time }
            let allowed = head ? Self.motionless.head : Self.motionless.body
            guard time - lastMotion < allowed - Track.slack else { return false }
            lastThere = stamp
            return true
        // Before the first look nothing speaks for the person.
        case nil where lastReading == nil: return false
        case .covered: return time <= coverEnd + Track.slack
        // Until the place can be looked at again.
        case nil: return time <= coverEnd + Self.interval
        case .empty: return false
        }
    }
}
