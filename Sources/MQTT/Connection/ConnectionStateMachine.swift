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
        case opening(Opening)
        case connected(since: Int64)
        case stopped
    }

    /// Why a broker could not be used; `isRefusal` means that only a person can fix it.
    private struct Failure: Equatable {
        var reason: String
        var isRefusal = false
    }

    /// A round through the brokers, and the attempt at one of them.
    private struct Opening: Equatable {
        let roundBegin: Int64
        /// The brokers that are still to be tried in this round.
        var rest: ArraySlice<Int>
        /// The failures at the brokers that were tried in this round.
        var failures: [Failure] = []
        var stage = Stage.dialing
        /// When the stage began.
        var since: Int64
        /// Whether the request was repeated at this broker.
        var hasRepeated = false
        /// Why the other version of MQTT was tried at this broker; nil if it was not tried.
        var otherVersionReason: Failure?

        var repeated: Opening {
            var opening = self
            opening.hasRepeated = true
            return opening
        }
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
    private var accepted: [Int: ConnectionState.ProtocolVersion] = [:]
    /// The index of the broker that accepted a connection last.
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
        case .opening(let opening): opening.since + timeout(of: opening)
        case .idle, .connected, .stopped: nil
        }
    }

    private func timeout(of opening: Opening) -> Int64 {
        switch opening.stage {
        case .dialing: settings.brokers.count > 1 ? Self.dialTimeout.inList : Self.dialTimeout.alone
        case .securing: timeouts.long
        case .asking: timeouts.answer(to: opening.since)
        }
    }

    mutating func start(now: Int64) -> [Action] {
        guard phase == .idle else { return [] }
        return report(.connecting) + beginRound(now: now)
    }

    /// Acts on `deadline` if it has passed. `unanswered` lists addresses that did not answer, for the error message.
    mutating func tick(now: Int64, unanswered: String = "") -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        guard case .opening(let opening) = phase else { return beginRound(now: now) }
        let time = "within \(Double(timeout(of: opening)) / 1e9) s"
        let addresses = unanswered.isEmpty ? "" : " from \(unanswered)"
        let loss: Loss =
            switch opening.stage {
            case .dialing: .unreachable("\(broker): no answer\(addresses) \(time)")
            case .securing: .unanswered("\(broker): TLS is not agreed on \(time)")
            case .asking: .unanswered("\(broker): no answer to the connection request \(time)")
            }
        return lost(loss, now: now)
    }

    /// Moves the attempt on to a later step of opening the connection.
    mutating func reached(_ stage: Stage, now: Int64) {
        guard case .opening(var opening) = phase, opening.stage < stage else { return }
        opening.stage = stage
        opening.since = now
        phase = .opening(opening)
    }

    mutating func accepted(now: Int64) -> [Action] {
        guard case .opening(let opening) = phase, opening.stage == .asking else { return [] }
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
        guard case .opening(let opening) = phase, opening.stage == .asking else { return [] }
        let failure = Failure(reason: "\(broker): \(refusal.text(settings.advice))", isRefusal: !refusal.isTemporary)
        if refusal.isUnsupportedVersion {
            if let next = openInOtherVersion(opening, since: failure, now: now) { return [.abandon] + next }
            // The failure in the version that the broker speaks is the one to report.
            if let first = opening.otherVersionReason { return [.abandon] + failed(first, opening, now: now) }
        }
        if !attempt.cleanStart, !refusal.isAboutCredentials {
            return [.abandon] + openWithCleanStart(opening, now: now)
        }
        return [.abandon] + failed(failure, opening, now: now)
    }

    mutating func lost(_ loss: Loss, now: Int64) -> [Action] {
        switch phase {
        case .idle, .waiting, .stopped: return []
        case .opening(let opening): return [.abandon] + lost(loss, while: opening, now: now)
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
        let brokers = [served] + settings.brokers.indices.filter { $0 != served }
        return openNext(Opening(roundBegin: now, rest: brokers[...], since: now), now: now)
    }

    private mutating func openNext(_ opening: Opening, now: Int64) -> [Action] {
        var next = opening
        guard let broker = next.rest.popFirst() else { return [] }
        next.hasRepeated = false
        next.otherVersionReason = nil
        let version = settings.version ?? accepted[broker] ?? .version5
        // A session left by an earlier run could replay old commands, so the first connection never resumes one.
        let cleanStart = broker != sessionBroker || version != .version5
        return open(Attempt(broker: broker, version: version, cleanStart: cleanStart), next, now: now)
    }

    private mutating func open(_ attempt: Attempt, _ opening: Opening, now: Int64) -> [Action] {
        self.attempt = attempt
        var opening = opening
        opening.stage = .dialing
        opening.since = now
        phase = .opening(opening)
        return [.open(attempt)]
    }

    /// Tries the broker without the old session, since a cluster may wait for the node that has that session.
    private mutating func openWithCleanStart(_ opening: Opening, now: Int64) -> [Action] {
        sessionBroker = nil
        var next = attempt
        next.cleanStart = true
        return open(next, opening, now: now)
    }

    /// Tries the broker in the other version of MQTT; nil if the settings name the version, or both were tried.
    private mutating func openInOtherVersion(_ opening: Opening, since failure: Failure, now: Int64) -> [Action]? {
        guard settings.version == nil, opening.otherVersionReason == nil else { return nil }
        var opening = opening
        opening.otherVersionReason = failure
        let next = Attempt(broker: attempt.broker, version: attempt.version.other, cleanStart: true)
        return open(next, opening, now: now)
    }

    private mutating func lost(_ loss: Loss, while opening: Opening, now: Int64) -> [Action] {
        switch loss {
        case .unreachable(let reason, let isRefusal):
            return failed(Failure(reason: reason, isRefusal: isRefusal), opening, now: now)
        case .takenOver: return again("\(broker): closed before the broker answered", opening, now: now)
        case .ended(let reason), .malformed(let reason): return again(reason, opening, now: now)
        case .unanswered(let reason):
            if attempt.cleanStart, accepted[attempt.broker] == attempt.version {
                if !opening.hasRepeated { return open(attempt, opening.repeated, now: now) }
                if timeouts.keepsVersion(now: now) { return failed(Failure(reason: reason), opening, now: now) }
            }
            return again(reason, opening, now: now)
        }
    }

    /// Tries the same broker without the old session or in the other version, unless both were tried.
    private mutating func again(_ reason: String, _ opening: Opening, now: Int64) -> [Action] {
        if !attempt.cleanStart { return openWithCleanStart(opening.repeated, now: now) }
        let failure = Failure(reason: reason)
        return openInOtherVersion(opening, since: failure, now: now) ?? failed(failure, opening, now: now)
    }

    private mutating func failed(_ failure: Failure, _ opening: Opening, now: Int64) -> [Action] {
        var opening = opening
        opening.failures.append(failure)
        if !opening.rest.isEmpty { return openNext(opening, now: now) }
        timeouts.failedRounds += 1
        let text = opening.failures.map(\.reason).joined(separator: "; ")
        guard opening.failures.allSatisfy(\.isRefusal) else {
            return retry(.disconnected(text), since: opening.roundBegin, now: now)
        }
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
