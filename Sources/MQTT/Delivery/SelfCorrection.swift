/// Decides when to overwrite another client's message on this client's own topic.
///
/// A single message, such as a late will, is overwritten at once. If another client keeps writing, the corrections
/// become rarer, so that two programs with the same topic do not flood the network.
struct SelfCorrection {
    /// The time after a correction, in nanoseconds, within which a further one belongs to the same series.
    static let quietPeriod: Int64 = 60_000_000_000
    /// The wait before the second correction of a series, in nanoseconds; it doubles with each further one, up to 30 s.
    static let firstWait: Int64 = 1_000_000_000

    private(set) var due: Int64?
    private var last: Int64?
    private var correctionsInARow = 0

    /// Notes another client's message. Returns true once in a series, when another client evidently keeps writing.
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

    /// Cancels a pending correction, since all states are sent anyway on the next connection.
    mutating func connectionLost() { due = nil }
}
