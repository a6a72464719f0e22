/// The work of the network thread: carries out what the state machine decides, and passes messages between libmosquitto
/// and the session. Used by that thread only.
final class NetworkLoop {
    private enum Link {
        case none
        /// The broker's addresses are being tried.
        case dialing(Dialer)
        case securing(ByteStream)
        case open(MosquittoHandle, SocketProxy)
    }

    /// The interval at which libmosquitto checks the keep-alive, in nanoseconds.
    private static let keepAliveCheck: Int64 = 1_000_000_000
    /// The maximum time, in nanoseconds, between two discoveries of another client's state that prove a takeover.
    static let rivalWindow: Int64 = 600_000_000_000

    let session: ClientSession
    var settings: BrokerSettings { session.settings }
    var logger: Logger { session.logger }
    var machine: ConnectionStateMachine
    var correction = SelfCorrection()
    var maximumQoS = MQTTMessage.QoS.atLeastOnce
    /// The number of subscriptions sent on this connection.
    var subscribed = 0
    /// The time at which the wait for the retained message on this client's own topic began; nil after the wait.
    var checksOwnTopicSince: Int64?
    /// The time at which another client's state was last found on this client's own topic after a reconnection.
    var rivalFound: Int64?
    var loggedRejections: Set<String> = []
    private var loggedExpired = 0
    var refusals = TemporaryRefusals()
    var closing = ClosingMessages()
    var isLeaving = false
    private var outcome: StopReport?
    private var link = Link.none
    /// The broker's index and the address of a connection that the broker has not accepted yet.
    private var unaccepted: (broker: Int, address: SocketAddress)?
    /// The addresses of each broker that were reached but did not accept the connection, the oldest failure first.
    private var failedAddresses: [Int: [SocketAddress]] = [:]

    init(_ session: ClientSession) {
        self.session = session
        machine = ConnectionStateMachine(settings: session.settings)
    }

    var handle: MosquittoHandle? { if case .open(let handle, _) = link { handle } else { nil } }

    var proxy: SocketProxy? { if case .open(_, let proxy) = link { proxy } else { nil } }

    /// Whether a connection to a broker is open or being opened.
    var isLinked: Bool { if case .none = link { false } else { true } }

    /// Whether the network takes another message now. If not, messages stay queued, where newer ones may replace them.
    var takesMore: Bool {
        machine.isConnected && handle?.wantsToWrite == false && proxy?.isFlushed == true && closing.takesMore
    }

    func run() {
        perform(machine.start(now: DeliveryClock.monotonic()))
        while !machine.isStopped {
            var unanswered = ""
            if case .dialing(let dialer) = link { unanswered = dialer.unanswered }
            perform(machine.tick(now: DeliveryClock.monotonic(), unanswered: unanswered))
            dropStalledConnection()
            // Without a connection, too: events are written and expire all the time.
            if session.expireEvents() { session.waker.wake() }
            logExpired()
            if machine.isConnected { deliver() }
            session.store.tidy()
            leaveIfAsked()
            guard !machine.isStopped else { break }
            waitAndServe()
        }
        logExpired()
        session.finish(outcome)
    }

    private func waitAndServe() {
        let now = DeliveryClock.monotonic()
        var wake = min(now + Self.keepAliveCheck, machine.deadline ?? .max, correction.due ?? .max)
        if refusals.pauseEnd > now { wake = min(wake, refusals.pauseEnd) }
        if let stop = session.state.withLock(\.stop) {
            wake = min(wake, now < stop.disconnectTime ? stop.disconnectTime : stop.deadline)
        }
        let waker = session.waker
        switch link {
        case .none: _ = waker.wait([], nanoseconds: wake - now)
        case .dialing(let dialer):
            let interests = dialer.sockets.map { (descriptor: $0, events: Int16(POLLOUT)) }
            _ = waker.wait(interests, nanoseconds: min(wake, dialer.wake) - now)
            advance(dialer)
        case .securing(let stream):
            let events = Int16(stream.needsWriting ? POLLOUT : POLLIN)
            _ = waker.wait([(stream.socket, events)], nanoseconds: wake - now)
            secure(stream)
        case .open(let handle, let proxy):
            proxy.flush()
            let own = (descriptor: handle.socket, events: Int16(POLLIN | (handle.wantsToWrite ? POLLOUT : 0)))
            let ready = waker.wait([own] + proxy.interests, nanoseconds: wake - now)
            serve(handle, proxy, ready)
        }
    }

    /// Moves the available bytes between the network and libmosquitto, then runs libmosquitto's queued callbacks.
    private func serve(_ handle: MosquittoHandle, _ proxy: SocketProxy, _ ready: [Int16]) {
        if ready[1] != 0 || ready[2] != 0 { countRefused(proxy.receive()) }
        let failure = handle.serve(isReady: ready[0])
        proxy.flush()
        for call in handle.drainCalls() {
            // The remaining calls are about a connection that was abandoned.
            guard self.handle === handle else { return }
            call(self)
        }
        // The state machine ignores a failure that a call has already reported.
        if let failure, self.handle === handle { connectionFailed(failure) }
    }

    /// Handles the broker's acceptance; `maximumQoS` is the highest quality of service that the broker supports.
    func accepted(maximumQoS: MQTTMessage.QoS) {
        self.maximumQoS = maximumQoS
        closing.connected(to: machine.attempt.broker, at: DeliveryClock.monotonic())
        unaccepted = nil
        failedAddresses[machine.attempt.broker] = nil
        session.state.withLock { state in
            state.isConnected = true
            state.hasLoggedOverflow = false
            state.counters.connections += 1
            // The first connection of a run finds what the last run left, and has to overwrite it.
            guard settings.selfCorrectingTopic != nil, state.counters.connections > 1 else { return }
            checksOwnTopicSince = DeliveryClock.monotonic()
        }
        perform(machine.accepted(now: DeliveryClock.monotonic()))
    }

    func refused(code: Int32) { perform(machine.refused(Refusal(code: code), now: DeliveryClock.monotonic())) }

    /// Handles the end of the connection; `code` is libmosquitto's error if below 0x80, else the broker's reason code.
    func ended(code: Int32) {
        if isLeaving { return flushed { finish(didDisconnect: code == 0) } }
        guard let handle else { return }
        switch code {
        case 0x8E: connectionLost(.takenOver)
        case 0x80...:
            let reason = MosquittoHandle.reasonText(code)
            connectionLost(.ended("\(machine.broker): the broker closed the connection: \(reason)"))
        default: connectionFailed(handle.failure(code))
        }
    }

    func connectionFailed(_ failure: MosquittoHandle.Failure) {
        if isLeaving { return finish(didDisconnect: false) }
        guard let proxy else { return }
        // In TLS 1.3, a broker examines the client's certificate after the client's handshake has succeeded.
        if !machine.isConnected, let error = proxy.failure as? ByteStream.Failure, error.isRefusal {
            return securingFailed(error)
        }
        let reason = "\(machine.broker): \(proxy.failure.map { "\($0)" } ?? failure.text)"
        connectionLost(proxy.failure is PacketInspector.Malformed ? .malformed(reason) : .ended(reason))
    }

    func connectionLost(_ loss: ConnectionStateMachine.Loss) {
        if case .ended = loss, machine.isConnected { searchCause() }
        perform(machine.lost(loss, now: DeliveryClock.monotonic()))
    }

    func perform(_ actions: [ConnectionStateMachine.Action]) {
        for action in actions {
            switch action {
            case .open(let attempt): open(attempt)
            case .abandon: abandon()
            case .report(let state): report(state)
            }
        }
    }

    // MARK: - The way to the broker

    private func open(_ attempt: ConnectionStateMachine.Attempt) {
        let failed = failedAddresses[attempt.broker] ?? []
        step { link = .dialing(try Dialer(settings.brokers[attempt.broker], failed: failed, waker: session.waker)) }
    }

    /// Runs a step of opening the connection; an error makes the broker count as unreachable.
    private func step(_ body: () throws -> Void) {
        do { try body() } catch { connectionLost(.unreachable("\(error)")) }
    }

    private func advance(_ dialer: Dialer) {
        switch dialer.advance(now: DeliveryClock.monotonic()) {
        case .pending: break
        case .failed(let reason):
            let host = settings.brokers[machine.attempt.broker].host
            let isHere = ["localhost", "127.0.0.1", "::1"].contains(host)
            let remedy = isHere ? "; \(InstalledProgram.brokerRemedy)" : ""
            connectionLost(.unreachable("no broker at \(machine.broker): \(reason)\(remedy)"))
        case .connected(let socket, let address):
            let broker = machine.attempt.broker
            unaccepted = (broker, address)
            machine.reached(.securing, now: DeliveryClock.monotonic())
            step {
                // Read anew for each connection: certificates are renewed while a daemon runs.
                let stream = try ByteStream(socket: socket, host: settings.brokers[broker].host, tls: settings.tls)
                link = .securing(stream)
                secure(stream)
            }
        }
    }

    private func secure(_ stream: ByteStream) {
        do throws(ByteStream.Failure) {
            guard try stream.handshake() else { return }
        } catch {
            return securingFailed(error)
        }
        step {
            let handle = try MosquittoHandle(settings, machine.attempt)
            let isVersion5 = machine.attempt.version == .version5
            let inspector = PacketInspector(isVersion5: isVersion5, limit: settings.maximumPacket)
            link = .open(handle, SocketProxy(stream: stream, inner: try handle.connect(settings), inspector: inspector))
            machine.reached(.asking, now: DeliveryClock.monotonic())
        }
    }

    private func securingFailed(_ error: ByteStream.Failure) {
        let advice = error.isRefusal ? "; \(settings.advice.certificates)" : ""
        let reason = "TLS with \(machine.broker) failed: \(error)\(advice)"
        connectionLost(.unreachable(reason, isRefusal: error.isRefusal))
    }

    private func abandon() {
        proxy?.abandon()
        link = .none
        // The address was reached but did not serve, so the next attempt begins with another one.
        if let (broker, address) = unaccepted {
            failedAddresses[broker] = (failedAddresses[broker] ?? []).filter { $0 != address } + [address]
        }
        unaccepted = nil
        subscribed = 0
        checksOwnTopicSince = nil
        refusals = TemporaryRefusals()
        correction.connectionLost()
        session.connectionLost()
    }

    private func report(_ state: ConnectionState) {
        let metadata: Logger.Metadata = ["brokers": "\(settings.address)", "client": "\(settings.clientID)"]
        let level: Logger.Level =
            switch state {
            case .connecting, .connected, .stopped: .info
            case .disconnected: .warning
            case .refused, .takenOver: .error
            }
        logger.log(level: level, "MQTT \(state)", metadata: metadata)
        session.inbox.put { $0.put(.connection(state)) }
    }

    /// Drops the connection if the broker has not acknowledged a message in time.
    private func dropStalledConnection() {
        let timeout = settings.acknowledgementTimeout
        guard let oldest = [handle?.oldestUnanswered, checksOwnTopicSince].compactMap(\.self).min(),
            DeliveryClock.monotonic() - oldest >= timeout.wholeNanoseconds
        else { return }
        if isLeaving { return finish(didDisconnect: false) }
        connectionLost(.ended("\(machine.broker): no acknowledgement within \(timeout)"))
    }

    private func logExpired() {
        let count = session.counters.tooOld
        guard count > loggedExpired else { return }
        logger.warning("events were too old to be sent", metadata: ["count": "\(count - loggedExpired)"])
        loggedExpired = count
    }

    // MARK: - The end

    func finish(didDisconnect: Bool) {
        // A second call comes too late: the end of the connection has marked all states as unsent.
        outcome = outcome ?? session.report(didDisconnect: didDisconnect)
        perform(machine.stop())
    }

    /// Sends DISCONNECT, and closes the connection once the network has taken it.
    func disconnect() {
        guard let handle else { return finish(didDisconnect: false) }
        if !isLeaving { handle.disconnect() }
        isLeaving = true
        if handle.socket < 0 { flushed { finish(didDisconnect: true) } }
    }

    /// Ends the connection and calls `body` if everything is written; otherwise the caller must try again.
    func flushed(_ body: () -> Void) {
        guard let proxy else { return body() }
        proxy.flush()
        guard proxy.isFlushed else { return }
        proxy.end()
        body()
    }

    private func deliver() {
        sendSubscriptions()
        if checksOwnTopicSince == nil, DeliveryClock.monotonic() >= refusals.pauseEnd {
            // If a state makes the broker close the connection, events must not wait behind it.
            if closing.isSearching { sendEvents() }
            sendStates()
            sendEvents()
            sendTransients()
        }
        proxy?.flush()
    }
}
