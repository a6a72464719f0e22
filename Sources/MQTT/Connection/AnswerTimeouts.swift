/// How long a broker may take to answer a connection request, in nanoseconds.
///
/// The time is long for a first connection, since the broker may be far or slow. After a loss it is short: nodes of a
/// cluster that elect a leader never answer a request from before the election, so the request must be repeated soon.
struct AnswerTimeouts {
    /// The timeout for a first connection: in the first round of attempts, and the maximum for later rounds.
    static let first: ClosedRange<Int64> = 3_000_000_000...12_000_000_000
    /// The minimum timeout after a loss; a fifth of the outage applies if it is longer. A NATS node ignores a client's
    /// second request for 4 s: in two timeouts, the two other nodes of a cluster of three can be tried.
    static let afterLoss: Int64 = 2_000_000_000
    /// How long after a loss, in nanoseconds, an unanswered request does not lead to another version of the protocol.
    static let versionHoldsFor: Int64 = 10_000_000_000

    /// The number of rounds of attempts in a row in which no broker accepted the connection.
    var failedRounds = 0
    /// The time at which the last connection was lost, in monotonic nanoseconds; nil before that and while connected.
    var lostAt: Int64?
    var long: Int64 { Self.first.doubling(failedRounds) }

    func answer(to request: Int64) -> Int64 {
        guard let lostAt else { return long }
        return min(Self.first.upperBound, max(Self.afterLoss, (request - lostAt) / 5))
    }

    /// Whether an unanswered request is repeated in the same protocol version, because the last loss is recent.
    func keepsVersion(now: Int64) -> Bool {
        guard let lostAt else { return false }
        return now - lostAt < Self.versionHoldsFor
    }
}
