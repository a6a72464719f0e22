/// Decides when to connect, to which broker and how, and what a failure means.
///
/// The brokers are tried in rounds: first the last connected one, then the others in the order of the settings, without
/// a wait. At each broker, a connection request that fails without a refusal is repeated at once without the old
/// session, then in the other version of MQTT. In a version that the broker has accepted before, an unanswered request
/// is first repeated unchanged, since another node of a cluster may answer. The waits between failed rounds grow.
///
/// Uses no network and no clock: the caller passes all times, in monotonic nanoseconds.
struct ConnectionStateMachine {
    struct Attempt: Equatable {
        /// The index of the broker in the settings.
        var broker: Int
        var version: ConnectionState.ProtocolVersion
        /// Whether the broker must discard the session of the last connection.
        var cleanStart: Bool
    }

    enum Action: Equatable {
        case open(Attempt)
        /// Drops the connection without DISCONNECT, along with everything unsent.
        case abandon
        case report(ConnectionState)
    }

    enum Loss: Equatable {
        /// No connection could be made, for the reason in the text; `isRefusal` means that only a person can fix it.
        case unreachable(String, isRefusal: Bool = false)
        case ended(String)
        /// The broker did not answer in time while the connection was opened; the text names the missing answer.
        case unanswered(String)
        /// The server sent invalid MQTT; the text names the bytes and the server.
        case malformed(String)
        case takenOver
    }

    /// The steps of opening a connection, in their order.
    enum Stage: Comparable {
        case dialing
        /// The broker was reached, and TLS is being negotiated.
        case securing
        /// The connection request was sent.
        case asking
    }

    private enum Phase: Equatable {
        case idle
        case waiting(until: Int64)
        case opening(Stage, since: Int64)
        case connected(since: Int64)
        case stopped
    }

    /// The timeouts for reaching a broker, in nanoseconds: for the only broker, and for each of several.
    static let dialTimeout: (alone: Int64, inList: Int64) = (10_000_000_000, 2_500_000_000)
    /// How long a connection must last, in nanoseconds, not to count as short-lived.
    static let stableAfter: Int64 = 2_000_000_000
    /// The number of short-lived connections in a row that suggest a lasting cause, such as a client with the same id.
    static let suspiciousCount = 3
    /// The threshold that replaces `suspiciousCount` if there is a `selfCorrectingTopic`. Another client would be found
    /// earlier on that topic, so the cause may be something else, such as an access list that forbids topics.
    static let unexplainedCount = 2 * suspiciousCount
    /// The minimum and the maximum wait after another client took over, in nanoseconds.
    static let takeoverDelays: ClosedRange<Int64> = 30_000_000_000...600_000_000_000
    /// The maximum wait after a refusal that only a person can fix, in nanoseconds.
    static let refusalDelay: Int64 = 30_000_000_000

    private let settings: BrokerSettings
    private let jitter: (ClosedRange<Int64>) -> Int64
    private var phase = Phase.idle
    private(set) var attempt = Attempt(broker: 0, version: .version5, cleanStart: true)
    private var round: ArraySlice<Int> = []
    /// The reason why each broker failed in this round, and whether only a person can fix it (`isRefusal`).
    private var reasons: [(text: String, isRefusal: Bool)] = []
    private var hasRepeated = false
    /// The reason why the other protocol version was tried at this broker; nil if it was not tried.
    private var otherVersionReason: (text: String, isRefusal: Bool)?
    private var accepted: [Int: ConnectionState.ProtocolVersion] = [:]
    private var roundBegin: Int64 = 0
    private var served = 0
    /// The index of the broker that may still have this client's session.
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

    /// The time by which `tick` must be called; nil if nothing has a time limit.
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

    /// Acts on `deadline` if it has passed. `unanswered` lists addresses that did not answer, for the error message.
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

    /// Moves the attempt on to a later step of opening the connection.
    mutating func reached(_ stage: Stage, now: Int64) {
        if case .opening(let earlier, _) = phase, earlier < stage { phase = .opening(stage, since: now) }
    }

    mutating func accepted(now: Int64) -> [Action] {
        guard case .opening(.asking, _) = phase else { return [] }
        phase = .connected(since: now)
        timeouts = AnswerTimeouts()
        // One unanswered request must not replace MQTT 5 by the older version for good.
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

    /// Resets the counts of failures, since the cause of the ended connections was found and will be avoided.
    mutating func explained() { (shortLived, failures) = (0, 0) }

    mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        return [.abandon] + report(.stopped)
    }

    // MARK: - Rounds

    /// The address of the broker that is being tried or used, for messages.
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

    /// Returns the attempt without the old session, since a cluster may wait for the node that has that session.
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

    /// Tries the same broker without the old session or in the other version, unless both were tried.
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
        // A connection that was accepted but did not last counts as a failure, like a refused one.
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

    /// Waits before the next round. The time since `begin`, the start of the last round, is deducted from the wait.
    private mutating func retry(_ state: ConnectionState, since begin: Int64? = nil, now: Int64) -> [Action] {
        failures += 1
        let delays = settings.reconnectDelay
        var longest = delays.upperBound.wholeNanoseconds
        // Brokers ban clients that repeat a refused request too often.
        if case .disconnected = state {} else { longest = max(longest, Self.refusalDelay) }
        let full = delay(within: delays.lowerBound.wholeNanoseconds...longest, after: failures)
        return wait(state, delay: max(0, full - max(0, now - (begin ?? now))), now: now)
    }

    private mutating func wait(_ state: ConnectionState, delay: Int64, now: Int64) -> [Action] {
        phase = .waiting(until: now + delay)
        return report(state)
    }

    /// Returns the wait, doubled with each failure. Up to half of it is cut off at random, so that clients spread out.
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
