import Synchronization
import System

/// What the network thread and everybody else share: messages on their way, and how it goes.
final class Mailroom: Sendable {
    /// What is shared, behind the lock.
    struct Contents {
        var queue: DeliveryQueue
        var states: StateBoard
        var transients: [MQTTMessage] = []
        var subscriptions: [String] = []
        var counters = DeliveryCounters()
        var isConnected = false
        /// Events that grew too old since it was last logged.
        var unloggedExpired = 0
        var hasLoggedOverflow = false
        var stop: StopRequest?
        var outcome: StopReport?
    }

    /// The wish to end.
    struct StopRequest {
        /// When goodbye is said even though earlier messages are not acknowledged; timers' clock.
        var goodbyeTime: Int64
        /// When the connection is cut; timers' clock.
        var deadline: Int64
    }

    /// How many transient messages may wait for the network thread.
    static let transientCapacity = 64

    let contents: Mutex<Contents>
    let store: any EventStore
    let clock: DeliveryClock
    let waker: Waker

    init(
        settings: BrokerSettings,
        rules: DeliveryRules,
        store: any EventStore,
        clock: DeliveryClock
    ) throws(MQTTError) {
        do {
            waker = try Waker()
        } catch {
            throw .resources(error.attempt, error.reason)
        }
        self.store = store
        self.clock = clock
        var contents = Contents(
            queue: DeliveryQueue(rules: rules),
            states: StateBoard(ownTopic: settings.selfCorrectingTopic, will: settings.will)
        )
        for event in store.events() {
            contents.counters.acceptedEvents += 1
            guard let evicted = contents.queue.append(event) else { continue }
            store.remove([evicted])
            contents.counters.count(.overflow)
        }
        contents.counters.queuedEvents = contents.queue.count
        self.contents = Mutex(contents)
    }

    /// Takes an event in, and writes it to the store.
    ///
    /// - Returns: whether it is the first since the connection was lost for which another had to make room.
    func accept(_ event: StoredEvent) -> Bool {
        contents.withLock { contents in
            contents.counters.acceptedEvents += 1
            if !store.append(event) { contents.counters.unsafeEvents += 1 }
            // First, so that what is too old anyway does not count as crowded out.
            expireEvents(in: &contents)
            guard let evicted = contents.queue.append(event) else { return false }
            store.remove([evicted])
            contents.counters.count(.overflow)
            defer { contents.hasLoggedOverflow = true }
            return !contents.hasLoggedOverflow
        }
    }

    /// Takes out the events that are too old, here and in the store.
    func expireEvents() {
        contents.withLock { expireEvents(in: &$0) }
    }

    /// The lock is held, so that the store sees everything in the order of the queue, and that an event which comes in
    /// meanwhile does not seem to be from the future.
    private func expireEvents(in contents: inout Contents) {
        guard !contents.queue.isEmpty else { return }
        let expired = contents.queue.expire(now: clock.now())
        guard !expired.all.isEmpty else { return }
        contents.counters.count(.expired, expired.unsent.count)
        contents.counters.count(.unconfirmed, expired.unconfirmed.count)
        contents.unloggedExpired += expired.all.count
        store.remove(expired.all)
    }

    /// Notes an acknowledgement of whatever it was.
    func acknowledged(message: Int32, refused: Bool) {
        contents.withLock { contents in
            contents.states.acknowledge(message: message)
            guard let sequence = contents.queue.acknowledge(message: message) else { return }
            if refused {
                contents.counters.count(.rejected)
            } else {
                contents.counters.acknowledgedEvents += 1
            }
            store.remove([sequence])
        }
    }

    /// Notes that the broker could not take a message now.
    func postponed(message: Int32) {
        contents.withLock { contents in
            contents.states.postpone(message: message)
            contents.queue.postpone(message: message)
        }
    }

    /// Takes out an event that no broker will ever take.
    func discard(_ event: StoredEvent) {
        contents.withLock { contents in
            contents.queue.discard(event.sequence)
            contents.counters.count(.rejected)
            store.remove([event.sequence])
        }
    }

    /// Nothing under way will be acknowledged any more; transient messages have missed their time.
    func connectionLost() {
        contents.withLock { contents in
            contents.isConnected = false
            contents.queue.connectionLost()
            contents.states.connectionLost()
            contents.counters.count(.offline, contents.transients.count)
            contents.transients = []
        }
    }

    /// The present counters.
    var counters: DeliveryCounters {
        contents.withLock { contents in
            contents.counters.queuedEvents = contents.queue.count
            return contents.counters
        }
    }

    /// What is still unsent.
    func report(saidGoodbye: Bool) -> StopReport {
        contents.withLock { contents in
            StopReport(
                saidGoodbye: saidGoodbye,
                unsentEvents: contents.queue.count,
                unsentTopics: contents.states.unsettledTopics
            )
        }
    }
}
