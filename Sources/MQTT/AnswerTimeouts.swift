/// How long a broker may take to answer.
///
/// The first time long, since it may be far or slow. After a loss less: the nodes of a cluster that elect a leader never
/// answer what was asked before the election, so the request has to be sent anew soon.
///
/// Times are nanoseconds of the timers' clock.
struct AnswerTimeouts {
    /// Before the first answer: in the first round of attempts, and the most it grows to.
    static let first: ClosedRange<Int64> = 3_000_000_000...12_000_000_000
    /// After a loss; a fifth of the outage if that is more. Not shorter: a node of NATS takes no second request of the same
    /// client within 4 s, and of three nodes two are left.
    static let afterLoss: Int64 = 2_000_000_000
    /// So soon after a loss, silence says nothing about the version of the protocol.
    static let versionHoldsFor: Int64 = 10_000_000_000

    /// How many rounds of attempts in a row have failed: a loss is none.
    var failedRounds = 0
    /// When the last connection was lost; nil before, and while there is one.
    var lostAt: Int64?
    var long: Int64 { Self.first.doubling(failedRounds) }

    func answer(to request: Int64) -> Int64 {
        guard let lostAt else { return long }
        return min(Self.first.upperBound, max(Self.afterLoss, (request - lostAt) / 5))
    }

    /// Whether a request that goes unanswered is to be repeated in no other version.
    func keepsVersion(now: Int64) -> Bool {
        guard let lostAt else { return false }
        return now - lostAt < Self.versionHoldsFor
    }
}
