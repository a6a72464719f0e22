import Synchronization

/// A client of one broker, which connects, reconnects and delivers on a thread of its own.
///
/// Everything may be called from any thread; only `stop` waits. What is published falls into three kinds:
/// - *events* are kept until the broker has acknowledged them, in order, or until they are too old to be of use;
/// - *states* are kept per topic, the newest only, and sent again on every connection;
/// - *transient* messages go out now or never.
package final class BrokerConnection: Sendable {
    /// Changes of the connection and messages on the subscribed topics, in their order; for one reader.
    ///
    /// While messages are not read, the oldest are dropped and counted. The newest 64 changes are kept.
    package var occurrences: AsyncStream<Occurrence> {
        AsyncStream { [inbox = session.inbox] in await inbox.next { $0.removeFirst() } }
    }
    private let session: ClientSession
    private let isStarted = Atomic(false)

    /// Makes a client, which `start` lets connect. Events of an earlier run in `store` are sent first; `logger` gets a
    /// line for each change of the connection and each kind of trouble. Throws `MQTTError` for unusable settings.
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
        // Without `stop` there is no orderly disconnect, but the thread must end all the same.
        requestStop(timeout: .zero)
    }

    /// Lets the client connect, and reconnect for ever; a second call does nothing. Throws `SystemError` if it fails.
    package func start() throws {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        _ = try JoinableThread(named: "mqtt") { [session] in NetworkLoop(session).run() }
    }

    /// Publishes something that happened, once, with quality of service 1 and never retained. When it returns, the
    /// event is in the store. `sequence` is its number from the store's `nextSequence`, nil takes one; `age` is the
    /// time since it happened.
    package func publish(event message: MQTTMessage, sequence: Int64? = nil, age: Duration = .zero) {
        var message = message
        message.qos = .atLeastOnce
        message.retain = false
        let time = session.clock.now().earlier(by: age)
        session.accept(StoredEvent(sequence: sequence ?? session.store.nextSequence(), time: time, message: message))
        session.waker.wake()
    }

    /// Publishes how something is, with the message's own quality of service and retain flag; the newest message of
    /// each topic is sent on every connection.
    package func publish(state message: MQTTMessage) {
        session.state.withLock { $0.topics.set(message) }
        session.waker.wake()
    }

    /// Publishes the last state of each of these topics once more.
    package func repeatStates(_ topics: [String]) {
        session.state.withLock { $0.topics.renew(topics) }
        session.waker.wake()
    }

    /// Publishes something for now or never, with quality of service 0; dropped and counted while offline.
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

    /// Subscribes, now and on every connection, with quality of service 0: the broker keeps nothing while we are away,
    /// so no command comes late. Throws `MQTTError` for a filter that breaks the rules.
    package func subscribe(_ topicFilter: String) throws(MQTTError) {
        try MosquittoHandle.validate(filter: topicFilter)
        session.state.withLock { state in
            guard !state.subscriptions.contains(topicFilter) else { return }
            state.subscriptions.append(topicFilter)
        }
        session.waker.wake()
    }

    package var counters: DeliveryCounters { session.counters }

    /// Sends what is queued, disconnects, and finishes `occurrences`, all within `timeout`; at once while there is no
    /// connection. Returns what was left, which stays in the store.
    package func stop(timeout: Duration = .seconds(2)) async -> StopReport {
        requestStop(timeout: timeout)
        guard isStarted.load(ordering: .relaxed) else {
            session.finish(nil)
            return session.report(didDisconnect: false)
        }
        // The thread may be held up where nothing can wake it, in the resolution of a name.
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
