/// Decides how long an unseen face is kept. Where it was last seen, the picture must show a person who sometimes moves.
struct Hold: Sendable {
    /// The interval, in seconds, at which the place of an unseen face is examined for the person.
    static let interval = 0.5
    /// How long a place without motion counts as occupied, in seconds: `head` if a head is seen, `body` if only a body
    /// is seen, which may be a jacket on a chair.
    private static let motionless = (head: 10.0, body: 1.5)
    /// How long a face is kept while other people cover the place where it was last seen, in seconds: `atAll` after the
    /// person was last known to be there, or `fromFirstLook` after the first look at the place, whichever ends later.
    private static let cover = (atAll: 1.5, fromFirstLook: 0.8)

    /// The stamp of the last frame in which the person was known to be there.
    private(set) var lastThere: FrameStamp
    private var lastMotion: Double
    private var lastReading: Double?
    private var coverEnd = -Double.infinity

    init(since lastSeen: FrameStamp) {
        lastThere = lastSeen
        lastMotion = lastSeen.mediaTime
    }

    func isDue(at time: Double) -> Bool { lastReading.map { time - $0 >= Self.interval - Track.slack } ?? true }

    /// Processes what the picture shows where the face was last seen; returns whether to keep the face. Without a new
    /// `reading`, the face is kept only if the place was examined before, and only for a short time.
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
        // Without a first reading, nothing shows that the person is there.
        case nil where lastReading == nil: return false
        case .covered: return time <= coverEnd + Track.slack
        // The place may not be readable until the next reading is due.
        case nil: return time <= coverEnd + Self.interval
        case .empty: return false
        }
    }
}
