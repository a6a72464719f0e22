/// Keeps a face that is not seen for as long as its place shows a person who moves now and then.
struct Hold: Sendable {
    /// The seconds between two readings of the place.
    static let interval = 0.5
    /// The seconds without motion after which the place counts as empty: with a head in it, and with a body alone,
    /// which may be a jacket on a chair.
    private static let motionless = (head: 10.0, body: 1.5)
    /// Seconds for which other people may hide the place: since the person was last there, and since the first reading.
    private static let cover = (atAll: 1.5, fromFirstLook: 0.8)

    /// The last frame in which a person was known to be there.
    private(set) var lastThere: FrameStamp
    private var lastMotion: Double
    private var lastReading: Double?
    private var coverEnd = -Double.infinity

    init(since lastSeen: FrameStamp) {
        lastThere = lastSeen
        lastMotion = lastSeen.mediaTime
    }

    func isDue(at time: Double) -> Bool { lastReading.map { time - $0 >= Self.interval - Track.slack } ?? true }

    /// Takes the reading of the place in a frame; nil if there is none.
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
        // Before the first reading nothing speaks for the person.
        case nil where lastReading == nil: return false
        case .covered: return time <= coverEnd + Track.slack
        // Until the place can be read again.
        case nil: return time <= coverEnd + Self.interval
        case .empty: return false
        }
    }
}
