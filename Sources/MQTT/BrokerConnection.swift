package import Logging
import Synchronization
import System

/// A client of one broker, which connects, reconnects and delivers on a thread of its own.
///
/// Everything may be called from any thread; only `stop` waits. What is published falls into three kinds:
/// - *events* are kept until the broker has acknowledged them, in order, or until they are too old to be of use;
/// - *states* are kept per topic, the newest only, and sent again on every connection;
/// - *transient* messages go out now or never.
package final class BrokerConnection: Sendable {
    /// What comes in on the topics subscribed to; for one reader.
    ///
    /// While nobody reads, the oldest are dropped and counted.
    package let incoming: AsyncStream<ReceivedMessage>
    /// Where the connection stands, one value per change; for one reader, who finds the last 64.
    package let states: AsyncStream<ConnectionState>

    private let settings: BrokerSettings
    private let mailroom: Mailroom
    private let outlets: NetworkLoop.Outlets
    private let logger: Logger
    private let isStarted = Mutex(false)

    /// Makes a client; `start` lets it connect.
    ///
    /// - Parameters:
    ///   - settings: where the broker is and how to be its client.
    ///   - rules: how long events are worth delivering, and how many may wait.
    ///   - store: keeps events until the broker has them; those it holds from an earlier run go out first.
    ///   - clock: measures the age of events.
    ///   - logger: gets one line per change of the connection, and one per kind of trouble.
    /// - Throws: `MQTTError` for settings that can't work, TLS files among them.
    package init(
        settings: BrokerSettings,
        rules: DeliveryRules = DeliveryRules(),
        store: any EventStore = MemoryEventStore(),
        clock: DeliveryClock = .system,
        logger: Logger
    ) throws(MQTTError) {
        try settings.validate()
        self.settings = settings
        self.logger = logger
        mailroom = try Mailroom(settings: settings, rules: rules, store: store, clock: clock)
        let incoming = AsyncStream.makeStream(
            of: ReceivedMessage.self,
            bufferingPolicy: .bufferingNewest(settings.incomingCapacity)
        )
        let states = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(64))
        self.incoming = incoming.stream
        self.states = states.stream
        outlets = NetworkLoop.Outlets(incoming: incoming.continuation, states: states.continuation)
    }

    deinit {
        // Without `stop` there is no orderly disconnect, but the thread must end all the same.
        requestStop(timeout: .zero)
    }

    /// Lets the client connect, and reconnect for ever.
    ///
    /// Calling it again does nothing.
    ///
    /// - Throws: `MQTTError.resources` when the system has no thread left.
    package func start() throws(MQTTError) {
        guard
            isStarted.withLock({ started in
                defer { started = true }
                return !started
            })
        else { return }
        let (settings, mailroom, outlets, logger) = (settings, mailroom, outlets, logger)
        do {
            _ = try JoinableThread(named: "mqtt") {
                NetworkLoop(settings: settings, mailroom: mailroom, outlets: outlets, logger: logger).run()
            }
        } catch {
            throw .resources("start the MQTT thread", error.reason)
        }
    }

    /// Publishes something that happened, once, with quality of service 1 and never retained.
    ///
    /// When it returns, the event is in the store; a crash does not lose it then if the store survives one.
    /// - Parameters:
    ///   - message: what to send.
    ///   - sequence: its number from the store's `nextSequence`; nil takes one.
    ///   - age: how long ago it happened; its life counts from then.
    package func publish(event message: MQTTMessage, sequence: Int64? = nil, age: Duration = .zero) {
        var message = message
        message.qos = .atLeastOnce
        message.retain = false
        let event = StoredEvent(
            sequence: sequence ?? mailroom.store.nextSequence(),
            time: mailroom.clock.now().earlier(by: age),
            message: message
        )
        if mailroom.accept(event) {
            logger.warning("too many events wait for the broker; the oldest are being dropped")
        }
        mailroom.waker.wake()
    }

    /// Publishes how something is; the newest message of each topic is sent on every connection.
    ///
    /// The message's own quality of service and retain flag hold.
    package func publish(state message: MQTTMessage) {
        mailroom.contents.withLock { contents in
            if contents.states.set(message) { contents.counters.coalescedStates += 1 }
        }
        mailroom.waker.wake()
    }

    /// Publishes something that is of use now or never, with quality of service 0; dropped and counted while offline.
    package func publish(transient message: MQTTMessage) {
        var message = message
        message.qos = .atMostOnce
        mailroom.contents.withLock { contents in
            guard contents.isConnected else { return contents.counters.count(.offline) }
            guard contents.transients.count < Mailroom.transientCapacity else {
                return contents.counters.count(.congested)
            }
            contents.transients.append(message)
        }
        mailroom.waker.wake()
    }

    /// Subscribes, now and on every connection, with quality of service 0: the broker keeps nothing for us while we are
    /// away, so no command comes late.
    ///
    /// - Throws: `MQTTError.topic` for a filter that breaks the rules.
    package func subscribe(_ topicFilter: String) throws(MQTTError) {
        try MosquittoHandle.validate(filter: topicFilter)
        mailroom.contents.withLock { contents in
            guard !contents.subscriptions.contains(topicFilter) else { return }
            contents.subscriptions.append(topicFilter)
        }
        mailroom.waker.wake()
    }

    /// What became of the messages so far.
    package var counters: DeliveryCounters { mailroom.counters }

    /// Sends what waits, says goodbye, and ends; `incoming` and `states` end too.
    ///
    /// While offline nothing is waited for. What was not sent stays in the store.
    /// - Parameter timeout: how long all of it may take.
    /// - Returns: what was left.
    package func stop(timeout: Duration = .seconds(2)) async -> StopReport {
        requestStop(timeout: timeout)
        guard isStarted.withLock(\.self) else {
            outlets.finish()
            return mailroom.report(saidGoodbye: false)
        }
        // The thread may be held up where nothing can wake it, in the resolution of a name.
        let patience = Task { [outlets] in
            guard (try? await Task.sleep(for: timeout + .milliseconds(250))) != nil else { return }
            outlets.ended.open()
        }
        await outlets.ended.wait()
        patience.cancel()
        return mailroom.contents.withLock(\.outcome) ?? mailroom.report(saidGoodbye: false)
    }

    private func requestStop(timeout: Duration) {
        let now = DeliveryClock.monotonic()
        let time = timeout.wholeNanoseconds
        mailroom.contents.withLock { contents in
            guard contents.stop == nil else { return }
            contents.stop = .init(goodbyeTime: now + time - min(time / 4, 500_000_000), deadline: now + time)
        }
        mailroom.waker.wake()
    }
}
