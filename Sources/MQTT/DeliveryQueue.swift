/// How long events are worth delivering, and how many may wait.
package struct DeliveryRules: Hashable, Sendable {
    /// An event older than this is dropped and counted, never sent; nil sends events of any age.
    package var maximumAge: Duration?
    /// How many events may wait; the oldest goes first.
    ///
    /// 1 or more.
    package var capacity: Int

    /// Events up to 10 s old, up to 1000 of them.
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

/// Decides which event goes to the broker next, and which never will.
///
/// Times come from outside: the age of events from `DeliveryClock`, the wait for acknowledgements in nanoseconds of the
/// timers' clock.
struct DeliveryQueue {
    /// An event on its way out.
    struct Outgoing: Equatable {
        var event: StoredEvent
        /// The rest of its life, for the broker; nil without a limit.
        var remaining: Duration?
    }

    /// Events that grew too old.
    struct Expired: Equatable {
        /// Never handed to the broker.
        var unsent: [Int64] = []
        /// Handed to it at least once, never acknowledged.
        var unconfirmed: [Int64] = []

        var all: [Int64] { unsent + unconfirmed }
    }

    private struct Entry {
        let event: StoredEvent
        var wasSent = false
        /// The network's number of the message and the time of its sending, while it is under way.
        var flight: (message: Int32, since: Int64)?
    }

    let rules: DeliveryRules
    private var entries: [Entry] = []
    private var inFlight = 0

    init(rules: DeliveryRules) {
        self.rules = rules
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var sequences: [Int64] { entries.map(\.event.sequence) }

    /// When the oldest message under way was sent.
    var oldestFlight: Int64? { entries.lazy.compactMap { $0.flight?.since }.min() }

    /// Takes an event in.
    ///
    /// - Returns: the number of the event that had to make room.
    mutating func append(_ event: StoredEvent) -> Int64? {
        var evicted: Int64?
        if entries.count >= rules.capacity {
            // One under way may still be acknowledged; taking it out would only lose count of it.
            let index = entries.firstIndex { $0.flight == nil } ?? 0
            evicted = entries[index].event.sequence
            if entries[index].flight != nil { inFlight -= 1 }
            entries.remove(at: index)
        }
        entries.append(Entry(event: event))
        return evicted
    }

    /// Takes out what is too old.
    ///
    /// An event under way stays until its fate is known.
    mutating func expire(now: DeliveryClock.Moment) -> Expired {
        guard let limit = rules.maximumAge, !entries.isEmpty else { return Expired() }
        var expired = Expired()
        entries.removeAll { entry in
            guard entry.flight == nil, Self.isExpired(entry.event, limit: limit, now: now) else { return false }
            if entry.wasSent {
                expired.unconfirmed.append(entry.event.sequence)
            } else {
                expired.unsent.append(entry.event.sequence)
            }
            return true
        }
        return expired
    }

    /// An unknown age counts as too old: a door must not open on a guess.
    private static func isExpired(_ event: StoredEvent, limit: Duration, now: DeliveryClock.Moment) -> Bool {
        guard let age = now.elapsed(since: event.time) else { return true }
        return age >= limit
    }

    /// The next event to send, if one may go now.
    ///
    /// Call `expire` first.
    func next(now: DeliveryClock.Moment) -> Outgoing? {
        guard inFlight < rules.window, let entry = entries.first(where: { $0.flight == nil }) else { return nil }
        var remaining = entry.event.message.messageExpiry
        if let limit = rules.maximumAge, let age = now.elapsed(since: entry.event.time) {
            remaining = min(limit - age, remaining ?? limit)
        }
        return Outgoing(event: entry.event, remaining: remaining)
    }

    /// Notes that an event was handed to the network.
    mutating func markSent(_ sequence: Int64, message: Int32, at time: Int64) {
        guard let index = entries.firstIndex(where: { $0.event.sequence == sequence }) else { return }
        if entries[index].flight == nil { inFlight += 1 }
        entries[index].wasSent = true
        entries[index].flight = (message, time)
    }

    /// Takes the acknowledged event out.
    ///
    /// - Returns: its number; nil if the acknowledgement is not an event's.
    mutating func acknowledge(message: Int32) -> Int64? {
        guard let index = entries.firstIndex(where: { $0.flight?.message == message }) else { return nil }
        inFlight -= 1
        return entries.remove(at: index).event.sequence
    }

    /// Notes that the broker could not take an event now; it waits again, in its old place.
    mutating func postpone(message: Int32) {
        guard let index = entries.firstIndex(where: { $0.flight?.message == message }) else { return }
        inFlight -= 1
        entries[index].flight = nil
    }

    /// Takes an event out that can never be sent.
    mutating func discard(_ sequence: Int64) {
        guard let index = entries.firstIndex(where: { $0.event.sequence == sequence }) else { return }
        if entries[index].flight != nil { inFlight -= 1 }
        entries.remove(at: index)
    }

    /// Notes that nothing under way will be acknowledged any more; it waits again, in its old place.
    mutating func connectionLost() {
        for index in entries.indices { entries[index].flight = nil }
        inFlight = 0
    }
}
