/// An MQTT client that connects to one of its brokers, reconnects and delivers messages on a thread of its own.
///
/// Everything may be called from any thread; only `stop` waits for the network. There are three kinds of messages:
/// - *events* are sent in order, and kept until the broker has acknowledged them or they are too old;
/// - *states*: the newest one of each topic is kept, and sent again on every connection;
/// - *transient* messages are sent at once or dropped.
package final class BrokerConnection: Sendable {
    /// The changes of the connection and the received messages, in their order; for one reader. If they are not read in
    /// time, the oldest messages are dropped and counted, and only the newest 64 changes are kept.
    package var occurrences: AsyncStream<Occurrence> {
        AsyncStream { [inbox = session.inbox] in await inbox.next { $0.removeFirst() } }
    }
    private let session: ClientSession
    private let isStarted = Atomic(false)

    /// Makes a client, which connects after `start` and first sends the events that an earlier run left in `store`.
    /// `logger` gets all connection changes and problems. Throws `MQTTError` for unusable settings, or `SystemError`.
    package init(
        settings: BrokerSettings,
        rules: DeliveryRules = DeliveryRules(),
        store: any EventStore = Outbox(),
        clock: DeliveryClock = .system,
        logger: Logger
    ) throws {
        try settings.validate()
        session = try ClientSession(settings: settings, rules: rules, store: store, clock: clock, logger: logger)
    }

    deinit {
        // Without `stop` there is no orderly disconnect, but the thread must end nevertheless.
        requestStop(timeout: .zero)
    }

    /// Starts connecting, and reconnecting after each loss; a second call does nothing. Throws `SystemError`.
    package func start() throws {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        _ = try JoinableThread(named: "mqtt") { [session] in NetworkLoop(session).run() }
    }

    /// Publishes an event with quality of service 1, not retained. The event is in the store when this returns.
    /// `sequence` is a number from the store's `nextSequence`, nil for a new one. `age`: how old the event already is.
    package func publish(event message: MQTTMessage, sequence: Int64? = nil, age: Duration = .zero) {
        var message = message
        message.qos = .atLeastOnce
        message.retain = false
        let time = session.clock.now().earlier(by: age)
        session.accept(StoredEvent(sequence: sequence ?? session.store.nextSequence(), time: time, message: message))
        session.waker.wake()
    }

    /// Publishes a state with the message's QoS and retain flag. Every connection repeats each topic's newest state.
    package func publish(state message: MQTTMessage) {
        session.state.withLock { $0.topics.set(message) }
        session.waker.wake()
    }

    /// Publishes the newest state of each of these topics again.
    package func repeatStates(_ topics: [String]) {
        session.state.withLock { $0.topics.renew(topics) }
        session.waker.wake()
    }

    /// Publishes a transient message with quality of service 0; dropped and counted if it cannot be sent now.
    package func publish(transient message: MQTTMessage) {
        var message = message
        message.qos = .atMostOnce
        session.state.withLock { state in
            guard state.isConnected else { return state.counters.count(.offline) }
            guard state.transients.count < ClientSession.transientCapacity else {
                return state.counters.count(.congested)
            }
            state.transients.append(message)
        }
        session.waker.wake()
    }

    /// Subscribes on this and every later connection, with quality of service 0: the broker keeps no messages while the
    /// client is away, so that no command comes late. Throws `MQTTError` for an invalid topic filter.
    package func subscribe(_ topicFilter: String) throws(MQTTError) {
        try MosquittoHandle.validate(filter: topicFilter)
        session.state.withLock { state in
            guard !state.subscriptions.contains(topicFilter) else { return }
            state.subscriptions.append(topicFilter)
        }
        session.waker.wake()
    }

    package var counters: DeliveryCounters { session.counters }

    /// Sends the queued messages, disconnects and finishes `occurrences` within `timeout`. Waits for a connection that
    /// is being opened; ends at once if there is none. Returns what was left unsent; events stay in the store.
    package func stop(timeout: Duration = .seconds(2)) async -> StopReport {
        requestStop(timeout: timeout)
        guard isStarted.load(ordering: .relaxed) else {
            session.finish(nil)
            return session.report(didDisconnect: false)
        }
        // The network thread may be blocked where nothing can wake it.
        let outcome = try? await onThread(named: "mqtt-stop") { [session] in
            session.outcome.wait(for: timeout + .milliseconds(250)) { $0 }
        }
        return outcome.flatMap(\.self) ?? session.report(didDisconnect: false)
    }

    private func requestStop(timeout: Duration) {
        let now = DeliveryClock.monotonic()
        let time = timeout.wholeNanoseconds
        session.state.withLock { state in
            guard state.stop == nil else { return }
            state.stop = (disconnectTime: now + time - min(time / 4, 500_000_000), deadline: now + time)
        }
        session.waker.wake()
    }
}
