import DequeModule

/// How long events are worth delivering, and how many may wait.
package struct DeliveryRules: Hashable, Sendable {
    /// An event older than this is dropped and counted, never sent; nil sends events of any age.
    package var maximumAge: Duration?
    /// How many events may wait; the oldest goes first. 1 or more.
    package var capacity: Int

    package init(maximumAge: Duration? = .seconds(10), capacity: Int = 1000) {
        self.maximumAge = maximumAge
        self.capacity = max(1, capacity)
    }

    /// How many events may be on their way to the broker at once.
    ///
    /// What the kernel holds cannot be taken back: when a broker hangs and wakes hours later it still reads it. So with
    /// an age limit it is one event at a time; a local broker takes thousands per second that way.
    var window: Int { maximumAge == nil ? 16 : 1 }
}

/// Decides which event goes to the broker next, and which never will. What it does for an event takes the same time
/// however many wait.
///
/// Times come from outside: the age of events from `DeliveryClock`, the wait for acknowledgements in nanoseconds of the
/// timers' clock.
struct DeliveryQueue {
    struct Outgoing: Equatable {
        var event: StoredEvent
        /// The rest of its life, for the broker; nil without a limit.
        var remaining: Duration?
    }

    /// An event that will not be sent (again).
    struct Dropped: Equatable {
        var sequence: Int64
        /// `expired` if it was never handed to the broker, `unconfirmed` if it was and grew too old, or `overflow`.
        var reason: DeliveryCounters.Drop
    }

    private struct Entry {
        let event: StoredEvent
        var wasSent = false
        /// The network's number of the message while the event is on its way, and when it was sent; 0 and the end of time while
        /// it is being handed over.
        var flight: (message: Int32, since: Int64)?
    }

    let rules: DeliveryRules
    /// In order; only those within the window are on their way.
    private var entries: Deque<Entry> = []
    /// How many events were looked at so far: the measure of the work.
    private(set) var examined = 0

    init(rules: DeliveryRules) { self.rules = rules }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// When the oldest message in flight was sent.
    var oldestFlight: Int64? { entries.prefix(rules.window).compactMap { $0.flight?.since }.min() }

    private var firstWaiting: Int? { entries.firstIndex { $0.flight == nil } }

    /// Takes an event in; returns the event that had to make room.
    mutating func append(_ event: StoredEvent, now: DeliveryClock.Moment) -> Dropped? {
        defer { entries.append(Entry(event: event)) }
        guard count >= rules.capacity else { return nil }
        // One in flight may still be acknowledged; taking it out would only lose count of it.
        let oldest = entries.remove(at: firstWaiting ?? 0)
        let reason = oldest.flight == nil ? ageDrop(of: oldest, now: now) : nil
        return Dropped(sequence: oldest.event.sequence, reason: reason ?? .overflow)
    }

    /// Takes out events that are too old, at most so many at once.
    ///
    /// An event in flight stays until it is acknowledged or the connection is lost. An old event that came in after a younger
    /// one stays until that one is taken out.
    mutating func expire(now: DeliveryClock.Moment, limit: Int = .max) -> [Dropped] {
        var dropped: [Dropped] = []
        while dropped.count < limit, let index = firstWaiting {
            examined += 1
            guard let reason = ageDrop(of: entries[index], now: now) else { break }
            dropped.append(Dropped(sequence: entries.remove(at: index).event.sequence, reason: reason))
        }
        return dropped
    }

    /// Why an event is too old to be sent; nil if it is not. An unknown age is too old: an old event must switch nothing.
    private func ageDrop(of entry: Entry, now: DeliveryClock.Moment) -> DeliveryCounters.Drop? {
        guard let limit = rules.maximumAge else { return nil }
        if let age = now.elapsed(since: entry.event.time), age < limit { return nil }
        return entry.wasSent ? .unconfirmed : .expired
    }

    /// The next event to send, if one may go now; it makes room for no other until `markSent` or `discard`. Call `expire` first.
    mutating func next(now: DeliveryClock.Moment) -> Outgoing? {
        guard let index = firstWaiting, index < rules.window else { return nil }
        let event = entries[index].event
        entries[index].flight = (0, .max)
        guard let limit = rules.maximumAge, let age = now.elapsed(since: event.time) else {
            return Outgoing(event: event, remaining: nil)
        }
        return Outgoing(event: event, remaining: limit - age)
    }

    /// Notes that an event was handed to the network.
    mutating func markSent(_ sequence: Int64, message: Int32, at time: Int64) {
        guard let index = index(where: { $0.event.sequence == sequence }) else { return }
        entries[index].wasSent = true
        entries[index].flight = (message, time)
    }

    /// Takes the acknowledged event out. Returns its number; nil if the acknowledgement is not an event's.
    mutating func acknowledge(message: Int32) -> Int64? {
        index { $0.flight?.message == message }.map { entries.remove(at: $0).event.sequence }
    }

    /// Notes that the broker could not take an event now; it waits again, in its old place.
    mutating func postpone(message: Int32) {
        if let index = index(where: { $0.flight?.message == message }) { entries[index].flight = nil }
    }

    /// Takes an event out that can never be sent.
    mutating func discard(_ sequence: Int64) {
        if let index = index(where: { $0.event.sequence == sequence }) { entries.remove(at: index) }
    }

    /// Notes that nothing in flight will be acknowledged any more; it waits again, in its old place.
    mutating func connectionLost() {
        for index in entries.indices.prefix(rules.window) { entries[index].flight = nil }
    }

    /// What is sent or in flight is within the window, so the search ends there.
    private mutating func index(where isWanted: (Entry) -> Bool) -> Int? {
        let index = entries.prefix(rules.window).firstIndex(where: isWanted)
        examined += index.map { $0 + 1 } ?? rules.window
        return index
    }
}
