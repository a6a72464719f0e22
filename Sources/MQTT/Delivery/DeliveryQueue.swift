import DequeModule

/// Decides which event is sent next and which are dropped. The work per event does not grow with the queue's length.
struct DeliveryQueue {
    /// An event that will not be sent, or not again.
    struct Dropped: Equatable {
        var sequence: Int64
        /// `expired` if the event was never sent, `unconfirmed` if it was sent but is too old now, or `overflow`.
        var reason: DeliveryCounters.Drop
    }

    private struct Entry {
        let event: StoredEvent
        /// Whether the event was ever handed to the network.
        var wasSent = false
        /// Whether the event was sent on this connection and the broker has not answered yet.
        var isUnderWay = false
    }

    let rules: DeliveryRules
    /// The events in the order in which they are sent. Only the first `rules.window` of them may be in flight.
    private var entries: Deque<Entry> = []

    init(rules: DeliveryRules) { self.rules = rules }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    private var firstWaiting: Int? { entries.firstIndex { !$0.isUnderWay } }

    /// Adds an event; returns the event that was dropped to make room, if one was waiting.
    mutating func append(_ event: StoredEvent, now: DeliveryClock.Moment) -> Dropped? {
        defer { entries.append(Entry(event: event)) }
        // An event in flight may still be acknowledged, so dropping it would only falsify the counts.
        guard count >= rules.capacity, let index = firstWaiting else { return nil }
        let oldest = entries.remove(at: index)
        return Dropped(sequence: oldest.event.sequence, reason: ageDrop(of: oldest, now: now) ?? .overflow)
    }

    /// Removes events that are too old, up to `limit`.
    ///
    /// An event in flight stays until it is acknowledged or the connection is lost. An event that is too old but queued
    /// behind a younger one stays until the younger one is removed.
    mutating func expire(now: DeliveryClock.Moment, limit: Int = .max) -> [Dropped] {
        var dropped: [Dropped] = []
        while dropped.count < limit, let index = firstWaiting {
            guard let reason = ageDrop(of: entries[index], now: now) else { break }
            dropped.append(Dropped(sequence: entries.remove(at: index).event.sequence, reason: reason))
        }
        return dropped
    }

    /// The reason to drop an event because of its age; nil if it may still be sent. An unknown age counts as too old.
    private func ageDrop(of entry: Entry, now: DeliveryClock.Moment) -> DeliveryCounters.Drop? {
        guard let limit = rules.maximumAge else { return nil }
        if let age = now.elapsed(since: entry.event.time), age < limit { return nil }
        return entry.wasSent ? .unconfirmed : .expired
    }

    /// Returns the next event if one may be sent now, and the time until it is too old, which is nil without a limit.
    /// The event counts as in flight from then on. `expire` must be called first.
    mutating func next(now: DeliveryClock.Moment) -> (event: StoredEvent, remaining: Duration?)? {
        guard let index = firstWaiting, index < rules.window else { return nil }
        let event = entries[index].event
        entries[index].wasSent = true
        entries[index].isUnderWay = true
        guard let limit = rules.maximumAge, let age = now.elapsed(since: event.time) else {
            return (event, nil)
        }
        return (event, limit - age)
    }

    /// Removes an event in flight that the broker has acknowledged or refused for good.
    mutating func remove(_ sequence: Int64) {
        if let index = indexUnderWay(of: sequence) { entries.remove(at: index) }
    }

    /// Marks an event as waiting again, in its old place, because the broker could not take it now.
    mutating func postpone(_ sequence: Int64) {
        if let index = indexUnderWay(of: sequence) { entries[index].isUnderWay = false }
    }

    /// Marks the events in flight as waiting again, in their old places, since no acknowledgement will come.
    mutating func connectionLost() {
        for index in entries.indices.prefix(rules.window) { entries[index].isUnderWay = false }
    }

    private func indexUnderWay(of sequence: Int64) -> Int? {
        entries.prefix(rules.window).firstIndex { $0.event.sequence == sequence }
    }
}

/// The rules for waiting events: their maximum age and their maximum number.
package struct DeliveryRules: Hashable, Sendable {
    /// The age above which an event is dropped and counted instead of sent; nil for no limit.
    package var maximumAge: Duration?
    /// The maximum number of events, at least 1; above it the oldest waiting one is dropped. Events in flight are never
    /// dropped, so one event can always wait behind them, even if they alone fill the queue.
    package var capacity: Int

    package init(maximumAge: Duration? = .seconds(10), capacity: Int = 1000) {
        self.maximumAge = maximumAge
        self.capacity = max(1, capacity)
    }

    /// The maximum number of events in flight.
    ///
    /// Sent data cannot be taken back from the kernel: a broker that hangs for hours reads it afterwards. So with an
    /// age limit, only one event is in flight at a time. A local broker takes thousands per second even so.
    var window: Int { maximumAge == nil ? 16 : 1 }
}
