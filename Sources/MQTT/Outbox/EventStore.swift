/// Keeps events until the broker has acknowledged them. All calls are thread-safe.
package protocol EventStore: Sendable {
    /// Returns the number for the next event. Only `append` makes it permanent: a crash before that leaves no gap.
    func nextSequence() -> Int64

    /// Keeps an event; returns whether the event survives a crash.
    @discardableResult
    func append(_ event: StoredEvent) -> Bool

    /// Forgets events that were delivered or dropped.
    func remove(_ sequences: [Int64])

    /// The events found at the start, oldest first.
    func events() -> [StoredEvent]

    /// Does work that need not be done at once; the network thread calls it about once per second.
    func tidy()
}

/// An event that waits for the broker's acknowledgement.
package struct StoredEvent: Hashable, Sendable {
    /// The event's number; unique and growing across restarts.
    package var sequence: Int64
    package var time: DeliveryClock.Moment
    package var message: MQTTMessage
}

/// The condition of a store: whether events survive a crash, and if not, why.
package struct StoreCondition: Hashable, Sendable {
    /// The place where events are kept.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// The store's file.
        case ok
        /// The store's file, which replaced a damaged or deleted one during this run.
        case restored
        /// The memory only: the file cannot be used at the moment. The store keeps trying.
        case memory
    }

    package var state: State
    /// What happened, for people; nil while the state is `ok`.
    package var detail: String?
}
