import Glibc
import Logging
import Synchronization

/// The network thread's life: connects as the state machine says, and carries messages between libmosquitto and the
/// mailroom.
///
/// Confined to its thread.
final class NetworkLoop {
    /// Where results go.
    struct Outlets: Sendable {
        let incoming: AsyncStream<ReceivedMessage>.Continuation
        let states: AsyncStream<ConnectionState>.Continuation
        let ended = Gate()

        func finish() {
            incoming.finish()
            states.finish()
            ended.open()
        }
    }

    /// libmosquitto looks at the keep-alive in whole seconds.
    private static let keepAliveCheck: Int64 = 1_000_000_000

    let settings: BrokerSettings
    let mailroom: Mailroom
    let outlets: Outlets
    let logger: Logger

    var machine: ConnectionStateMachine
    var handle: MosquittoHandle?
    var correction = SelfCorrection()
    var maximumQoS = MQTTMessage.QoS.atLeastOnce
    /// How many of the subscriptions this connection has sent, and which await their answer.
    var subscribed = 0
    var subscriptionAnswers: [Int32: String] = [:]
    var watchesOwnTopic = false
    /// Since when nothing is sent because it is open what the broker has kept on the topic that is ours alone.
    var looksBeforeSending: Int64?
    var rivals = RivalWatch()
    var loggedRejections: Set<String> = []
    var isLeaving = false
    var farewellIsSet = false
    private var addresses = AddressRotation()

    init(settings: BrokerSettings, mailroom: Mailroom, outlets: Outlets, logger: Logger) {
        self.settings = settings
        self.mailroom = mailroom
        self.outlets = outlets
        self.logger = logger
        machine = ConnectionStateMachine(settings: settings)
    }

    /// Works until the mailroom is asked to stop.
    func run() {
        perform(machine.start(now: DeliveryClock.monotonic()))
        while !machine.isStopped {
            perform(machine.tick(now: DeliveryClock.monotonic()))
            dropStalledConnection()
            if machine.isConnected { deliver() }
            // Not only while connected: events are written and grow too old without a broker, too.
            mailroom.store.tidy()
            leaveIfAsked()
            guard !machine.isStopped else { break }
            waitAndServe()
        }
        logExpired()
        outlets.finish()
    }

    private func waitAndServe() {
        let now = DeliveryClock.monotonic()
        var wake = min(now + Self.keepAliveCheck, machine.deadline ?? .max, correction.due ?? .max)
        if let stop = mailroom.contents.withLock(\.stop) {
            wake = min(wake, now < stop.farewellTime ? stop.farewellTime : stop.deadline)
        }
        if handle == nil, machine.deadline != nil, mailroom.contents.withLock({ $0.stop == nil }) {
            // Nobody to keep alive: sleep until the next attempt.
            wake = machine.deadline ?? wake
        }
        let ready = mailroom.doorbell.wait(
            socket: handle?.socket ?? -1,
            wantsToWrite: handle?.wantsToWrite ?? false,
            nanoseconds: wake - now
        )
        serve(readable: ready.readable, writable: ready.writable)
    }

    private func serve(readable: Bool, writable: Bool) {
        guard let handle else { return }
        let failure = handle.serve(readable: readable, writable: writable)
        process(handle.takeHappenings(), of: handle)
        // The state machine ignores what a happening has told before.
        if let failure, self.handle === handle { lose(failure) }
    }

    private func process(_ happenings: [MosquittoHandle.Happening], of handle: MosquittoHandle) {
        for happening in happenings {
            // What an abandoned connection told is of no interest to the next.
            guard self.handle === handle else { return }
            process(happening)
        }
    }

    private func process(_ happening: MosquittoHandle.Happening) {
        let now = DeliveryClock.monotonic()
        switch happening {
        case .accepted(let sessionPresent, let maximumQoS):
            connected(maximumQoS: maximumQoS)
            perform(machine.accepted(sessionPresent: sessionPresent, now: now))
        case .refused(let code):
            addresses.answered()
            perform(machine.refused(Refusal(code: code), now: now))
        case .acknowledged(let message, let reason): acknowledged(message, reason: reason)
        case .received(let message): received(message)
        case .receivedUnusable:
            mailroom.contents.withLock { contents in
                contents.counters.received += 1
                contents.counters.count(.incomingRefused)
            }
        case .subscribed(let message, let reasons): subscriptionAnswered(message, reasons: reasons)
        case .barrierReached: looksBeforeSending = nil
        case .ended(let code): ended(code)
        }
    }

    private func connected(maximumQoS: MQTTMessage.QoS) {
        self.maximumQoS = maximumQoS
        addresses.answered()
        mailroom.contents.withLock { contents in
            contents.isConnected = true
            contents.hasLoggedOverflow = false
            contents.counters.connections += 1
            // The first connection of a run finds what the last run left, and has to overwrite it.
            guard settings.selfCorrectingTopic != nil, contents.counters.connections > 1 else { return }
            looksBeforeSending = DeliveryClock.monotonic()
        }
    }

    private func ended(_ code: Int32) {
        guard !isLeaving else { return finish(saidGoodbye: code == 0) }
        guard let handle else { return }
        switch code {
        case 0x8E: lose(.takenOver)
        case 0x80...: lose(.ended("the broker closed the connection: \(MosquittoHandle.reasonText(code))"))
        default: lose(handle.failure(code))
        }
    }

    func lose(_ failure: MosquittoHandle.Failure) {
        if isLeaving { return finish(saidGoodbye: false) }
        lose(failure.loss(to: settings.address, usesTLS: settings.tls != nil))
    }

    func lose(_ loss: ConnectionStateMachine.Loss) {
        let actions = machine.lost(loss, now: DeliveryClock.monotonic())
        abandon()
        perform(actions)
    }

    func perform(_ actions: [ConnectionStateMachine.Action]) {
        for action in actions {
            switch action {
            case .open(let version, let cleanStart): open(version, cleanStart: cleanStart)
            case .abandon: abandon()
            case .report(let state): report(state)
            }
        }
    }

    private func open(_ version: ConnectionState.ProtocolVersion, cleanStart: Bool) {
        do {
            let handle = try MosquittoHandle(settings: settings, version: version, cleanStart: cleanStart)
            self.handle = handle
            let choice = addresses.next { MosquittoHandle.addressFamilies(of: settings.host) }
            do {
                try handle.connect(settings, to: choice)
                machine.opened(now: DeliveryClock.monotonic())
                process(handle.takeHappenings(), of: handle)
            } catch {
                lose(error)
            }
        } catch {
            lose(.unreachable(error.description))
        }
    }

    private func abandon() {
        handle?.discardUnsentBytes()
        handle = nil
        subscribed = 0
        subscriptionAnswers = [:]
        watchesOwnTopic = false
        looksBeforeSending = nil
        correction.connectionLost()
        mailroom.connectionLost()
    }

    private func report(_ state: ConnectionState) {
        let metadata: Logger.Metadata = ["broker": "\(settings.address)", "client": "\(settings.clientID)"]
        let level: Logger.Level =
            switch state {
            case .connecting, .connected, .stopped: .info
            case .disconnected: .warning
            case .refused, .takenOver: .error
            }
        logger.log(level: level, "MQTT \(state)", metadata: metadata)
        outlets.states.yield(state)
    }

    /// A broker that takes messages but acknowledges none is as good as gone.
    private func dropStalledConnection() {
        let oldest = mailroom.contents.withLock { contents in
            min(contents.queue.oldestFlight ?? .max, contents.states.oldestFlight ?? .max, looksBeforeSending ?? .max)
        }
        let timeout = settings.acknowledgementTimeout
        guard handle != nil, oldest != .max, DeliveryClock.monotonic() - oldest >= timeout.wholeNanoseconds else {
            return
        }
        if isLeaving { return finish(saidGoodbye: false) }
        lose(.ended("no acknowledgement within \(timeout)"))
    }

    private func logExpired() {
        let number = mailroom.contents.withLock { contents in
            defer { contents.unloggedExpired = 0 }
            return contents.unloggedExpired
        }
        guard number > 0 else { return }
        logger.warning("events were too old to be sent", metadata: ["count": "\(number)"])
    }

    func finish(saidGoodbye: Bool) {
        let report = mailroom.report(saidGoodbye: saidGoodbye)
        mailroom.contents.withLock { $0.outcome = report }
        perform(machine.stop())
    }

    private func deliver() {
        sendSubscriptions()
        watchOwnTopic()
        guard looksBeforeSending == nil else { return }
        sendStates()
        mailroom.expireEvents()
        logExpired()
        sendEvents()
        sendTransients()
    }
}
