/// How long a broker may take to answer a connection request, in nanoseconds.
///
/// The time is long for a first connection, since the broker may be far or slow. After a loss it is short: nodes of a
/// cluster that elect a leader never answer a request from before the election, so the request must be repeated soon.
struct AnswerTimeouts {
    /// The range of the timeout for a first connection, which begins with the minimum and doubles in each later round.
    static let first: ClosedRange<Int64> = 3_000_000_000...12_000_000_000
    /// The timeout after a loss, unless a fifth of the time since the loss is longer. It is 2 s because a NATS node
    /// ignores a client's second request for 4 s, enough to try the two other nodes of a cluster of three.
    static let afterLoss: Int64 = 2_000_000_000
    /// How long after a loss, in nanoseconds, an unanswered request is not followed by one in the other MQTT version.
    static let versionHoldsFor: Int64 = 10_000_000_000

    /// The number of rounds of attempts in a row in which no broker accepted the connection.
    var failedRounds = 0
    /// The time of the latest loss of a connection, in monotonic nanoseconds; nil while connected and before any loss.
    var lostAt: Int64?
    var long: Int64 { Self.first.doubling(failedRounds) }

    func answer(to request: Int64) -> Int64 {
        guard let lostAt else { return long }
        return min(Self.first.upperBound, max(Self.afterLoss, (request - lostAt) / 5))
    }

    /// Whether the last loss is so recent that an unanswered request must not lead to the other protocol version.
    func keepsVersion(now: Int64) -> Bool {
        guard let lostAt else { return false }
        return now - lostAt < Self.versionHoldsFor
    }
}
