/// Decides when to overwrite another client's message on this client's own topic.
///
/// A late will is corrected at once. Should two programs both claim the topic, their corrections grow rarer instead of
/// answering each other as fast as the network can.
struct SelfCorrection {
    /// The nanoseconds within which further corrections mean that another client keeps writing.
    static let quietPeriod: Int64 = 60_000_000_000
    /// The wait of the second correction in a row, in nanoseconds; each further one waits twice as long.
    static let firstWait: Int64 = 1_000_000_000

    private(set) var due: Int64?
    private var last: Int64?
    private var correctionsInARow = 0

    /// Notes another client's message. Returns true, once, if another client seems to write here repeatedly.
    mutating func noticed(now: Int64) -> Bool {
        guard due == nil else { return false }
        guard let last, now - last < Self.quietPeriod else {
            correctionsInARow = 0
            due = now
            return false
        }
        due = max(now, last + (Self.firstWait...Self.quietPeriod / 2).doubling(correctionsInARow))
        correctionsInARow += 1
        return correctionsInARow == 3
    }

    mutating func isDue(now: Int64) -> Bool {
        guard let due, now >= due else { return false }
        self.due = nil
        last = now
        return true
    }

    /// Notes that the connection ended; on the next one all is sent in any case.
    mutating func connectionLost() { due = nil }
}
