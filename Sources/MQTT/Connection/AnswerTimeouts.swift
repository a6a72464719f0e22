/// The time that a broker gets for its answer, in nanoseconds.
///
/// The first time it is long, since the broker may be far or slow. After a loss it is short: nodes of a cluster that
/// elect a leader never answer what was asked before the election, so the request has to be sent anew soon.
struct AnswerTimeouts {
    /// The time before any answer came: in the first round of attempts, and at most.
    static let first: ClosedRange<Int64> = 3_000_000_000...12_000_000_000
    /// The time after a loss, or a fifth of the outage if that is more. It is not shorter because a NATS node ignores a
    /// client's second request for 4 s; with three nodes there are two others to try.
    static let afterLoss: Int64 = 2_000_000_000
    /// The time after a loss in which silence says nothing about the version of the protocol.
    static let versionHoldsFor: Int64 = 10_000_000_000

    /// The number of failed rounds of attempts in a row. Losing a connection does not count.
    var failedRounds = 0
    /// The time at which the last connection was lost, by the timers' clock; nil before, and while there is one.
    var lostAt: Int64?
    var long: Int64 { Self.first.doubling(failedRounds) }

    func answer(to request: Int64) -> Int64 {
        guard let lostAt else { return long }
        return min(Self.first.upperBound, max(Self.afterLoss, (request - lostAt) / 5))
    }

    /// Whether a request that gets no answer is repeated in the same version.
    func keepsVersion(now: Int64) -> Bool {
        guard let lostAt else { return false }
        return now - lostAt < Self.versionHoldsFor
    }
}
