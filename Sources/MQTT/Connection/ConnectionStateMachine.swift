/// Decides when to connect, to which broker, how, and what a failure means.
///
/// The brokers are tried in rounds: first the one that served last, then the others in their order, without a wait in
/// between. At one broker, an unanswered or closed connection request is repeated at once without the old session, then
/// with the other version of MQTT; the version that was accepted is remembered. A request that goes unanswered in that
/// version is repeated with it, since another node of the cluster may answer. Rounds without success begin ever more
/// rarely.
///
/// Uses no network and no clock: times are nanoseconds of the timers' clock, handed in.
struct ConnectionStateMachine {
    struct Attempt: Equatable {
        /// The broker's index in the settings.
        var broker: Int
        var version: ConnectionState.ProtocolVersion
        /// Whether the broker is to forget the session of the last connection.
        var cleanStart: Bool
    }

    enum Action: Equatable {
        case open(Attempt)
        /// Drops the connection without a goodbye, and all that was not sent.
        case abandon
        case report(ConnectionState)
    }

    enum Loss: Equatable {
        /// No connection could be made: the reason, and whether only a person can fix it, such as a wrong certificate.
        case unreachable(String, isRefusal: Bool = false)
        case ended(String)
        /// The broker did not answer the request for a connection; the text names the answer that was waited for.
        case unanswered(String)
        /// The server sent bytes that no broker sends; the text names them and the server.
        case malformed(String)
        /// The broker says that another client has taken over.
        case takenOver
    }

    /// The steps of opening a connection.
    enum Stage: Comparable {
        case dialing
        /// The broker was reached; TLS is being agreed on.
        case securing
        /// The broker was asked for the connection.
        case asking
    }

    private enum Phase: Equatable {
        case idle
        case waiting(until: Int64)
        case opening(Stage, since: Int64)
        case connected(since: Int64)
        case stopped
    }

    /// The time to reach a broker, in which a lost packet can be sent again; shorter if there are other brokers.
    static let dialTimeout: (alone: Int64, inList: Int64) = (10_000_000_000, 2_500_000_000)
    /// Nanoseconds that a connection must have lasted to be a success, after which the next wait starts small again.
    static let stableAfter: Int64 = 2_000_000_000
    /// The connections in a row that ended at once and are not a coincidence, if nothing else shows another client.
    static let suspiciousCount = 3
    /// The connections in a row that ended at once if the topic that only this client uses shows no other client: that
    /// one may use another topic, or the broker's access list may forbid what this client does.
    static let unexplainedCount = 2 * suspiciousCount
    /// The shortest and the longest wait after another client took our place.
    static let takeoverDelays: ClosedRange<Int64> = 30_000_000_000...600_000_000_000
    /// The longest wait after a refusal that only a person can fix.
    static let refusalDelay: Int64 = 30_000_000_000

    private let settings: BrokerSettings
    private let jitter: (ClosedRange<Int64>) -> Int64
    private var phase = Phase.idle
    private(set) var attempt = Attempt(broker: 0, version: .version5, cleanStart: true)
    private var round: ArraySlice<Int> = []
    /// The reasons why the other brokers failed in this round, and whether only a person can fix them.
    private var reasons: [(text: String, isRefusal: Bool)] = []
    private var hasRepeated = false
    /// The reason why the other version was tried at this broker; nil if it was not tried.
    private var otherVersionReason: (text: String, isRefusal: Bool)?
    private var accepted: [Int: ConnectionState.ProtocolVersion] = [:]
    private var roundBegin: Int64 = 0
    private var served = 0
    /// The broker that may still have our session.
    private var sessionBroker: Int?
    private var failures = 0
    private var timeouts = AnswerTimeouts()
    private var shortLived = 0
    private var takeovers = 0
    private var reported: ConnectionState?

    init(settings: BrokerSettings, jitter: @escaping (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }) {
        self.settings = settings
        self.jitter = jitter
    }

    var isConnected: Bool { if case .connected = phase { true } else { false } }
    var isStopped: Bool { phase == .stopped }

    /// The time of the next call of `tick`, at the latest.
    var deadline: Int64? {
        switch phase {
        case .waiting(let until): until
        case .opening(.dialing, let since):
            since + (settings.brokers.count > 1 ? Self.dialTimeout.inList : Self.dialTimeout.alone)
        case .opening(.securing, let since): since + timeouts.long
        case .opening(.asking, let since): since + timeouts.answer(to: since)
        case .idle, .connected, .stopped: nil
        }
    }

    mutating func start(now: Int64) -> [Action] {
        guard phase == .idle else { return [] }
        return report(.connecting) + beginRound(now: now)
    }

    /// Notes that time went by; `unanswered` names the addresses that have not answered yet, for people.
    mutating func tick(now: Int64, unanswered: String = "") -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        guard case .opening(let stage, let since) = phase else { return beginRound(now: now) }
        let time = "within \(Double(deadline - since) / 1e9) s"
        let addresses = unanswered.isEmpty ? "" : " from \(unanswered)"
        let loss: Loss =
            switch stage {
            case .dialing: .unreachable("\(broker): no answer\(addresses) \(time)")
            case .securing: .unanswered("\(broker): TLS is not agreed on \(time)")
            case .asking: .unanswered("\(broker): no answer to the connection request \(time)")
            }
        return lost(loss, now: now)
    }

    /// Notes that a step of opening the connection has begun.
    mutating func reached(_ stage: Stage, now: Int64) {
        if case .opening(let earlier, _) = phase, earlier < stage { phase = .opening(stage, since: now) }
    }

    mutating func accepted(now: Int64) -> [Action] {
        guard case .opening(.asking, _) = phase else { return [] }
        phase = .connected(since: now)
        timeouts = AnswerTimeouts()
        // A version that was only tried because the better one went unanswered for once must not stay for that.
        if accepted[attempt.broker] != .version5 { accepted[attempt.broker] = attempt.version }
        sessionBroker = attempt.version == .version5 && settings.sessionExpiry > .zero ? attempt.broker : nil
        served = attempt.broker
        failures = 0
        return report(.connected(attempt.version, broker: broker))
    }

    mutating func refused(_ refusal: Refusal, now: Int64) -> [Action] {
        guard case .opening(.asking, _) = phase else { return [] }
        let text = "\(broker): \(refusal.text(settings.advice))"
        if refusal.isUnsupportedVersion {
            if let next = withOtherVersion(since: text, isRefusal: true) { return [.abandon] + open(next, now: now) }
            // The failure in the version that the broker speaks is the one to report.
            if let (text, isRefusal) = otherVersionReason {
                return [.abandon] + failed(text, isRefusal: isRefusal, now: now)
            }
        }
        if !attempt.cleanStart, !refusal.isAboutCredentials { return [.abandon] + open(withCleanStart(), now: now) }
        return [.abandon] + failed(text, isRefusal: !refusal.isTemporary, now: now)
    }

    mutating func lost(_ loss: Loss, now: Int64) -> [Action] {
        switch phase {
        case .idle, .waiting, .stopped: return []
        case .opening: return [.abandon] + lostWhileOpening(loss, now: now)
        case .connected(let since): return [.abandon] + lostWhileConnected(loss, after: now - since, now: now)
        }
    }

    /// Notes that the cause of connections that ended is known, and will be avoided from now on.
    mutating func explained() { (shortLived, failures) = (0, 0) }

    mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        return [.abandon] + report(.stopped)
    }

    // MARK: - Rounds

    /// The broker of the attempt, for people.
    var broker: String { settings.brokers[attempt.broker].description }

    private mutating func beginRound(now: Int64) -> [Action] {
        round = ([served] + settings.brokers.indices.filter { $0 != served })[...]
        reasons = []
        roundBegin = now
        return openNext(now: now)
    }

    private mutating func openNext(now: Int64) -> [Action] {
        guard let broker = round.popFirst() else { return [] }
        hasRepeated = false
        otherVersionReason = nil
        let version = settings.version ?? accepted[broker] ?? .version5
        // A session left by an earlier run could replay old commands, so the first connection never resumes one.
        let cleanStart = broker != sessionBroker || version != .version5
        return open(Attempt(broker: broker, version: version, cleanStart: cleanStart), now: now)
    }

    private mutating func open(_ attempt: Attempt, now: Int64) -> [Action] {
        self.attempt = attempt
        phase = .opening(.dialing, since: now)
        return [.open(attempt)]
    }

    /// Same attempt without the session, for a cluster that waits for the node that had it. The outbox makes that safe.
    private mutating func withCleanStart() -> Attempt {
        sessionBroker = nil
        var next = attempt
        next.cleanStart = true
        return next
    }

    private mutating func withOtherVersion(since reason: String, isRefusal: Bool = false) -> Attempt? {
        guard settings.version == nil, otherVersionReason == nil else { return nil }
        otherVersionReason = (reason, isRefusal)
        return Attempt(broker: attempt.broker, version: attempt.version.other, cleanStart: true)
    }

    private mutating func lostWhileOpening(_ loss: Loss, now: Int64) -> [Action] {
        switch loss {
        case .unreachable(let reason, let isRefusal): return failed(reason, isRefusal: isRefusal, now: now)
        case .takenOver: return again("\(broker): closed before the broker answered", now: now)
        case .ended(let reason), .malformed(let reason): return again(reason, now: now)
        case .unanswered(let reason):
            if attempt.cleanStart, accepted[attempt.broker] == attempt.version {
                if !hasRepeated {
                    hasRepeated = true
                    return open(attempt, now: now)
                }
                if timeouts.keepsVersion(now: now) { return failed(reason, isRefusal: false, now: now) }
            }
            return again(reason, now: now)
        }
    }

    /// Tries the same broker in another way, if there is one left.
    private mutating func again(_ reason: String, now: Int64) -> [Action] {
        if !attempt.cleanStart {
            hasRepeated = true
            return open(withCleanStart(), now: now)
        }
        if let next = withOtherVersion(since: reason) { return open(next, now: now) }
        return failed(reason, isRefusal: false, now: now)
    }

    private mutating func failed(_ reason: String, isRefusal: Bool, now: Int64) -> [Action] {
        reasons.append((reason, isRefusal))
        if !round.isEmpty { return openNext(now: now) }
        timeouts.failedRounds += 1
        let text = reasons.map(\.text).joined(separator: "; ")
        guard reasons.allSatisfy(\.isRefusal) else { return retry(.disconnected(text), since: roundBegin, now: now) }
        return retry(.refused(text), now: now)
    }

    private mutating func lostWhileConnected(_ loss: Loss, after lifetime: Int64, now: Int64) -> [Action] {
        timeouts.lostAt = now
        if lifetime >= Self.takeoverDelays.upperBound { takeovers = 0 }
        shortLived = lifetime >= Self.stableAfter ? 0 : shortLived + 1
        // A connection that was accepted but did not last is a failure like one that was not.
        if shortLived > 1, loss != .takenOver { failures = shortLived - 1 }
        switch loss {
        case .takenOver:
            takeovers += 1
            let rival = "another client with the id '\(settings.clientID)' connected to the broker"
            let state = ConnectionState.takenOver("\(rival); give each its own client id, or end the other one")
            return wait(state, delay: delay(within: Self.takeoverDelays, after: takeovers), now: now)
        case .malformed(let reason) where shortLived >= Self.suspiciousCount:
            let suspicion =
                "\(reason), in \(shortLived) connections in a row: \(settings.advice.address) if this is not an MQTT "
                + "broker; on a network that others can change, use TLS"
            return retry(.refused(suspicion), now: now)
        case .ended(let reason), .unanswered(let reason), .unreachable(let reason, _):
            let limit = settings.selfCorrectingTopic == nil ? Self.suspiciousCount : Self.unexplainedCount
            guard shortLived >= limit else { return retry(.disconnected(reason), now: now) }
            let suspicion =
                "the broker ended \(shortLived) connections in a row right after accepting them (\(reason)); most "
                + "likely another client uses the id '\(settings.clientID)', or the broker's access list forbids our topics"
            return retry(.takenOver(suspicion), now: now)
        case .malformed(let reason): return retry(.disconnected(reason), now: now)
        }
    }

    // MARK: - Waits

    /// Waits before the next round; the time since `begin`, when the last round began, counts as waited.
    private mutating func retry(_ state: ConnectionState, since begin: Int64? = nil, now: Int64) -> [Action] {
        failures += 1
        let delays = settings.reconnectDelay
        var longest = delays.upperBound.wholeNanoseconds
        // Brokers ban clients that ask too often after what only a person can change.
        if case .disconnected = state {} else { longest = max(longest, Self.refusalDelay) }
        let full = delay(within: delays.lowerBound.wholeNanoseconds...longest, after: failures)
        return wait(state, delay: max(0, full - max(0, now - (begin ?? now))), now: now)
    }

    private mutating func wait(_ state: ConnectionState, delay: Int64, now: Int64) -> [Action] {
        phase = .waiting(until: now + delay)
        return report(state)
    }

    /// Wait, doubled with each failure; jitter takes off up to half of it, so that clients of one broker spread out.
    private func delay(within range: ClosedRange<Int64>, after failures: Int) -> Int64 {
        let ceiling = range.doubling(failures)
        return max(range.lowerBound, jitter(ceiling / 2...ceiling))
    }

    private mutating func report(_ state: ConnectionState) -> [Action] {
        guard state != reported else { return [] }
        reported = state
        return [.report(state)]
    }
}
