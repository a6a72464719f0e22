import DequeModule

/// Decides which event goes to the broker next, and which never will. The work for one event does not grow with the
/// number of events that wait.
struct DeliveryQueue {
    /// An event that will not be sent (again).
    struct Dropped: Equatable {
        var sequence: Int64
        /// `expired` if the event was never sent, `unconfirmed` if it was and grew too old, or `overflow`.
        var reason: DeliveryCounters.Drop
    }

    private struct Entry {
        let event: StoredEvent
        /// Whether it was handed to the network at any time.
        var wasSent = false
        /// Whether the event is being sent, or the broker has not acknowledged it yet.
        var isUnderWay = false
    }

    let rules: DeliveryRules
    /// The events in their order; only those within the window are being sent or unacknowledged.
    private var entries: Deque<Entry> = []

    init(rules: DeliveryRules) { self.rules = rules }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    private var firstWaiting: Int? { entries.firstIndex { !$0.isUnderWay } }

    /// Adds an event; returns the event that had to make room.
    mutating func append(_ event: StoredEvent, now: DeliveryClock.Moment) -> Dropped? {
        defer { entries.append(Entry(event: event)) }
        guard count >= rules.capacity else { return nil }
        // An event under way may still be acknowledged: removing it would only lose count of it.
        let oldest = entries.remove(at: firstWaiting ?? 0)
        let reason = oldest.isUnderWay ? nil : ageDrop(of: oldest, now: now)
        return Dropped(sequence: oldest.event.sequence, reason: reason ?? .overflow)
    }

    /// Removes events that are too old, at most `limit` at once.
    ///
    /// An event under way stays until it is acknowledged or the connection is lost. An old event that came in after a
    /// younger one stays until that one is taken out.
    mutating func expire(now: DeliveryClock.Moment, limit: Int = .max) -> [Dropped] {
        var dropped: [Dropped] = []
        while dropped.count < limit, let index = firstWaiting {
            guard let reason = ageDrop(of: entries[index], now: now) else { break }
            dropped.append(Dropped(sequence: entries.remove(at: index).event.sequence, reason: reason))
        }
        return dropped
    }

    /// The reason why an event is too old to be sent; nil if it is not. An unknown age counts as too old.
    private func ageDrop(of entry: Entry, now: DeliveryClock.Moment) -> DeliveryCounters.Drop? {
        guard let limit = rules.maximumAge else { return nil }
        if let age = now.elapsed(since: entry.event.time), age < limit { return nil }
        return entry.wasSent ? .unconfirmed : .expired
    }

    /// Returns the next event to send, if one may go now, and the time until it is too old, nil without a limit. It
    /// counts as being sent from then on. Call `expire` first.
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

    /// Removes an event that was sent: the broker has it, or can never take it.
    mutating func remove(_ sequence: Int64) {
        if let index = indexUnderWay(of: sequence) { entries.remove(at: index) }
    }

    /// Notes that the broker could not take an event now; the event waits again, in its old place.
    mutating func postpone(_ sequence: Int64) {
        if let index = indexUnderWay(of: sequence) { entries[index].isUnderWay = false }
    }

    /// Notes that nothing that was sent will be acknowledged any more; it waits again, in its old place.
    mutating func connectionLost() {
        for index in entries.indices.prefix(rules.window) { entries[index].isUnderWay = false }
    }

    private func indexUnderWay(of sequence: Int64) -> Int? {
        entries.prefix(rules.window).firstIndex { $0.event.sequence == sequence }
    }
}

/// How old events may be when they are sent, and how many may wait.
package struct DeliveryRules: Hashable, Sendable {
    /// An event older than this is dropped and counted, never sent; nil sends events of any age.
    package var maximumAge: Duration?
    /// The number of events that may wait, 1 or more; the oldest makes room.
    package var capacity: Int

    package init(maximumAge: Duration? = .seconds(10), capacity: Int = 1000) {
        self.maximumAge = maximumAge
        self.capacity = max(1, capacity)
    }

    /// The number of events that may be under way at once.
    ///
    /// What the kernel has cannot be taken back: a broker that hangs and wakes hours later still reads it. So with an
    /// age limit it is one event at a time, of which a local broker takes thousands per second.
    var window: Int { maximumAge == nil ? 16 : 1 }
}
