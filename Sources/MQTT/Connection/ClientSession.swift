/// The data that the network thread shares with the callers of `BrokerConnection`.
final class ClientSession: Sendable {
    /// The data that the lock protects. The store, which may wait for a disk, is never called with the lock held.
    struct State {
        var events: DeliveryQueue
        var topics: StateTopics
        var transients: [MQTTMessage] = []
        var subscriptions: [String] = []
        var counters = DeliveryCounters()
        var isConnected = false
        var hasLoggedOverflow = false
        /// The time at which DISCONNECT is sent even if messages are unacknowledged, and the time at which the
        /// connection is cut, in monotonic nanoseconds; nil until `BrokerConnection.stop`.
        var stop: (disconnectTime: Int64, deadline: Int64)?

        /// Queues new events and removes expired ones; returns all events that were dropped.
        mutating func accept(_ new: [StoredEvent], now: DeliveryClock.Moment) -> [DeliveryQueue.Dropped] {
            // Expired events are removed first, so that they do not count as overflow.
            let expired = events.expire(now: now, limit: ClientSession.expiryBatch)
            let dropped = expired + new.compactMap { events.append($0, now: now) }
            for dropped in dropped { counters.count(dropped.reason) }
            return dropped
        }
    }

    /// The maximum number of transient messages that wait for the network thread.
    static let transientCapacity = 64
    /// The maximum number of expired events removed from the store in one call, which limits how long `publish` waits.
    static let expiryBatch = 16

    let settings: BrokerSettings
    let store: any EventStore
    let clock: DeliveryClock
    let logger: Logger
    let state: Mutex<State>
    let waker: Waker
    let inbox: Inbox<OccurrenceQueue>
    /// The result of `BrokerConnection.stop`; nil until the network thread has ended.
    let outcome = Monitor<StopReport?>(nil)

    init(
        settings: BrokerSettings,
        rules: DeliveryRules,
        store: any EventStore,
        clock: DeliveryClock,
        logger: Logger
    ) throws(SystemError) {
        waker = try Waker()
        self.settings = settings
        self.store = store
        self.clock = clock
        self.logger = logger
        inbox = Inbox(OccurrenceQueue(capacity: settings.incomingCapacity))
        var state = State(
            events: DeliveryQueue(rules: rules),
            topics: StateTopics(ownTopic: settings.selfCorrectingTopic, will: settings.will)
        )
        let dropped = state.accept(store.events, now: clock.now())
        self.state = Mutex(state)
        forget(dropped)
    }

    /// Writes an event to the store, and queues it for the broker.
    func accept(_ event: StoredEvent) {
        let isSafe = store.append(event)
        let (dropped, isFirstOverflow) = state.withLock { state in
            if !isSafe { state.counters.unsafeEvents += 1 }
            let dropped = state.accept([event], now: clock.now())
            let isFirstOverflow = !state.hasLoggedOverflow && dropped.last?.reason == .overflow
            if isFirstOverflow { state.hasLoggedOverflow = true }
            return (dropped, isFirstOverflow)
        }
        forget(dropped)
        if isFirstOverflow { logger.warning("too many events wait for the broker; the oldest are being dropped") }
    }

    private func forget(_ dropped: [DeliveryQueue.Dropped]) {
        if !dropped.isEmpty { store.remove(dropped.map(\.sequence)) }
    }

    /// Removes events that are too old from the queue and the store; returns whether there may be more.
    func expireEvents() -> Bool {
        // The clock is read with the lock held, so that no event in the queue is newer than the reading.
        let dropped = state.withLock { $0.accept([], now: clock.now()) }
        forget(dropped)
        return dropped.count == Self.expiryBatch
    }

    /// Removes an event that the broker has acknowledged or refused for good.
    func settle(event sequence: Int64, isRefused: Bool) {
        state.withLock { $0.events.remove(sequence) }
        // The event leaves the store before it is counted, so that a reader of the count finds it gone.
        store.remove([sequence])
        state.withLock { if isRefused { $0.counters.count(.rejected) } else { $0.counters.acknowledgedEvents += 1 } }
    }

    /// Marks the events and states in flight as unsent, and drops the waiting transient messages, never sent later.
    func connectionLost() {
        state.withLock { state in
            state.isConnected = false
            state.events.connectionLost()
            state.topics.connectionLost()
            state.counters.count(.offline, state.transients.count)
            state.transients = []
        }
    }

    var counters: DeliveryCounters {
        state.withLock { state in
            state.counters.queuedEvents = state.events.count
            return state.counters
        }
    }

    func report(didDisconnect: Bool) -> StopReport {
        state.withLock { state in
            let topics = state.topics.unsettledTopics
            return StopReport(didDisconnect: didDisconnect, unsentEvents: state.events.count, unsentTopics: topics)
        }
    }

    /// Ends the stream of occurrences. `report` is nil if the network thread was never started.
    func finish(_ report: StopReport?) {
        inbox.finish()
        outcome.update { $0 = report }
    }
}
