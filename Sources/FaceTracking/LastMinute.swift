/// How often a face blinked in the last minute, and for how long its eyes were closed, of the time in which they were seen.
struct LastMinute: Sendable {
    /// Nothing is said before the eyes were seen for so many seconds of it.
    private static let leastSeen = 30.0

    private struct Second {
        var seen = 0.0
        var closed = 0.0
        var blinks = 0.0
    }

    /// By the second that it was, modulo 60.
    private var seconds = Array(repeating: Second(), count: 60)
    private var latest: (time: Double, isSeen: Bool)?

    /// Takes a frame at a time in seconds, whether both eyes are closed in it, nil if they cannot be judged, and the blinks that it
    /// made certain.
    mutating func advance(isClosed: Bool?, blinks: Double, at time: Double) {
        defer { latest = (time, isClosed != nil) }
        guard let latest, time >= latest.time else { return seconds = Array(repeating: Second(), count: 60) }
        let (before, now) = (Int(latest.time), Int(time))
        for second in max(before, now - 60)..<now { seconds[(second + 1) % 60] = Second() }
        seconds[now % 60].blinks += blinks
        guard let isClosed, latest.isSeen, time - latest.time <= Track.bridgedGap else { return }
        seconds[now % 60].seen += time - latest.time
        if isClosed { seconds[now % 60].closed += time - latest.time }
    }

    /// Blinks per minute, and the share of time with closed eyes, 0…1; nil before enough was seen.
    var figures: (blinks: Double, closedShare: Double)? {
        func sum(_ value: (Second) -> Double) -> Double { seconds.reduce(0) { $0 + value($1) } }
        let seen = sum(\.seen)
        return seen >= Self.leastSeen ? (sum(\.blinks) * 60 / seen, sum(\.closed) / seen) : nil
    }
}
