/// Decides when to connect, how, and what a failure means.
///
/// Touches no network and asks no clock: times are nanoseconds of the timers' clock, handed in.
struct ConnectionStateMachine {
    /// What the network is to do.
    enum Action: Equatable {
        /// Open a connection.
        case open(ConnectionState.ProtocolVersion, cleanStart: Bool)
        /// Let go of the connection without a word, unsent bytes included.
        case abandon
        /// Tell the world.
        case report(ConnectionState)
    }

    /// Why a connection failed or ended.
    enum Loss: Equatable {
        /// No connection could be made: why.
        case unreachable(String)
        /// The certificates do not fit: why, with the remedy.
        case untrusted(String)
        /// The connection ended: why.
        case ended(String)
        /// The broker says another client took our place.
        case takenOver
    }

    private enum Phase: Equatable {
        case idle
        case waiting(until: Int64)
        case opening(since: Int64)
        case connected(since: Int64)
        case stopped
    }

    /// How long the broker may take from the first packet to its answer.
    static let openingTimeout: Int64 = 10_000_000_000
    /// A connection that lasted this long was a success; the next wait starts small again.
    static let stableAfter: Int64 = 2_000_000_000
    /// So many connections in a row that ended at once are no accident where nothing else tells of another client.
    static let suspiciousCount = 3
    /// So many are none even where the topic that is ours alone would have told: the other client may use another topic,
    /// or the broker's access list may forbid what we do.
    static let unexplainedCount = 2 * suspiciousCount
    /// The waits after another client took our place: they grow from the first to the last.
    static let takeoverDelays: ClosedRange<Int64> = 30_000_000_000...600_000_000_000

    private let clientID: String
    private let preference: BrokerSettings.ProtocolPreference
    private let keepsSession: Bool
    /// How many short connections in a row are put down to another client.
    private let shortLivedLimit: Int
    private let delays: ClosedRange<Int64>
    private let jitter: @Sendable (ClosedRange<Int64>) -> Int64

    private var phase = Phase.idle
    private var version: ConnectionState.ProtocolVersion
    private var hasBeenConnected = false
    private var failures = 0
    private var shortLived = 0
    private var silentRefusals = 0
    private var takeovers = 0
    private var reported: ConnectionState?

    init(
        settings: BrokerSettings,
        jitter: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        clientID = settings.clientID
        preference = settings.protocolPreference
        keepsSession = settings.sessionExpiry > .zero
        shortLivedLimit = settings.selfCorrectingTopic == nil ? Self.suspiciousCount : Self.unexplainedCount
        delays =
            settings.reconnectDelay.lowerBound.wholeNanoseconds...settings.reconnectDelay.upperBound.wholeNanoseconds
        self.jitter = jitter
        version = preference == .version311 ? .version311 : .version5
    }

    var isConnected: Bool {
        if case .connected = phase { true } else { false }
    }

    var isStopped: Bool { phase == .stopped }

    /// When `tick` has to be called next, at the latest.
    var deadline: Int64? {
        switch phase {
        case .waiting(let until): until
        case .opening(let since): since + Self.openingTimeout
        case .idle, .connected, .stopped: nil
        }
    }

    mutating func start(now: Int64) -> [Action] {
        guard phase == .idle else { return [] }
        return report(.connecting) + open(now: now)
    }

    /// Time went by.
    mutating func tick(now: Int64) -> [Action] {
        switch phase {
        case .waiting(let until) where now >= until: return open(now: now)
        case .opening(let since) where now - since >= Self.openingTimeout:
            return [.abandon]
                + lost(.unreachable("no answer within \(Self.openingTimeout / 1_000_000_000) s"), now: now)
        default: return []
        }
    }

    /// The connection is on its way: what it took to get there, such as the name's resolution, may have blocked for long
    /// and is not the broker's delay.
    mutating func opened(now: Int64) {
        guard case .opening = phase else { return }
        phase = .opening(since: now)
    }

    /// The broker accepted us.
    mutating func accepted(sessionPresent: Bool, now: Int64) -> [Action] {
        guard case .opening = phase else { return [] }
        phase = .connected(since: now)
        hasBeenConnected = true
        failures = 0
        silentRefusals = 0
        return report(.connected(version, sessionPresent: sessionPresent))
    }

    /// The broker turned us away.
    mutating func refused(_ refusal: Refusal, now: Int64) -> [Action] {
        guard case .opening = phase else { return [] }
        if refusal.isUnsupportedVersion, preference == .automatic, version == .version5 {
            version = .version311
            return [.abandon] + open(now: now)
        }
        if refusal.isTemporary { return [.abandon] + retry(.disconnected(refusal.text), now: now) }
        return [.abandon] + retry(.refused(refusal.text), now: now)
    }

    /// The connection failed or ended.
    mutating func lost(_ loss: Loss, now: Int64) -> [Action] {
        switch phase {
        case .idle, .waiting, .stopped: return []
        case .opening: return lostWhileOpening(loss, now: now)
        case .connected(let since): return lostWhileConnected(loss, after: now - since, now: now)
        }
    }

    /// No more attempts.
    mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        return [.abandon] + report(.stopped)
    }

    private mutating func lostWhileOpening(_ loss: Loss, now: Int64) -> [Action] {
        switch loss {
        case .untrusted(let reason): return retry(.refused(reason), now: now)
        case .unreachable(let reason): return retry(.disconnected(reason), now: now)
        case .takenOver: return retry(.disconnected("closed before the broker answered"), now: now)
        case .ended(let reason):
            // Some brokers of the 3.1.1 days hang up on a version they do not know, without a word.
            silentRefusals += 1
            if preference == .automatic, silentRefusals.isMultiple(of: 2) {
                version = version == .version5 ? .version311 : .version5
            }
            return retry(.disconnected(reason), now: now)
        }
    }

    private mutating func lostWhileConnected(_ loss: Loss, after lifetime: Int64, now: Int64) -> [Action] {
        if preference == .automatic { version = .version5 }
        if lifetime >= Self.takeoverDelays.upperBound { takeovers = 0 }
        shortLived = lifetime >= Self.stableAfter ? 0 : shortLived + 1
        switch loss {
        case .takenOver:
            return wait(
                .takenOver(
                    "another client with the id '\(clientID)' connected to the broker; "
                        + "give each its own client id, or end the other one"
                ),
                delay: takeoverDelay(),
                now: now
            )
        case .ended(let reason), .unreachable(let reason), .untrusted(let reason):
            // A connection that was accepted but did not last is a failure like one that was not.
            failures = max(0, shortLived - 1)
            guard shortLived >= shortLivedLimit else { return retry(.disconnected(reason), now: now) }
            return retry(
                .takenOver(
                    "the broker ended \(shortLived) connections in a row right after accepting them (\(reason)); most "
                        + "likely another client uses the id '\(clientID)', or the broker's access list forbids our topics"
                ),
                now: now
            )
        }
    }

    private mutating func open(now: Int64) -> [Action] {
        phase = .opening(since: now)
        // A session left by an earlier run could replay old commands, so the first connection never takes one on.
        return [.open(version, cleanStart: !(keepsSession && hasBeenConnected && version == .version5))]
    }

    private mutating func retry(_ state: ConnectionState, now: Int64) -> [Action] {
        failures += 1
        return wait(state, delay: backoff(), now: now)
    }

    private mutating func wait(_ state: ConnectionState, delay: Int64, now: Int64) -> [Action] {
        phase = .waiting(until: now + delay)
        return report(state)
    }

    /// Doubles with each failure; jitter takes up to half of it away, so that clients of one broker spread out.
    private func backoff() -> Int64 {
        let doublings = min(failures, 20)
        let ceiling = min(delays.upperBound, delays.lowerBound.multipliedOrMax(by: 1 << doublings))
        return max(delays.lowerBound, jitter(ceiling / 2...ceiling))
    }

    private mutating func takeoverDelay() -> Int64 {
        takeovers += 1
        let ceiling = min(Self.takeoverDelays.upperBound, Self.takeoverDelays.lowerBound << min(takeovers, 10))
        return jitter(ceiling / 2...ceiling)
    }

    private mutating func report(_ state: ConnectionState) -> [Action] {
        guard state != reported else { return [] }
        reported = state
        return [.report(state)]
    }
}

extension Int64 {
    fileprivate func multipliedOrMax(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
