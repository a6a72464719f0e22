/// An event that waits for the broker's acknowledgement.
package struct StoredEvent: Hashable, Sendable {
    /// The event's number, which orders it; unique and growing across restarts.
    package var sequence: Int64
    package var time: DeliveryClock.Moment
    package var message: MQTTMessage
}

/// Whether events survive a crash, and if not, why.
package struct StoreCondition: Hashable, Sendable {
    /// Where events are kept.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// In the store's file.
        case ok
        /// In the store's file, which replaced a damaged or deleted one during this run.
        case restored
        /// In memory only: the file cannot be used at the moment. The store keeps trying.
        case memory
    }

    package var state: State
    /// What happened, for people; nil while the state is `ok`.
    package var detail: String?
}

/// Keeps events until the broker has acknowledged them.
///
/// All calls are thread-safe. None throws: an outbox that can no longer write continues in memory.
package protocol EventStore: Sendable {
    /// The number for the next event, which its payload may carry. The number becomes permanent by `append`, so a crash
    /// between the two leaves no gap.
    func nextSequence() -> Int64

    /// Keeps an event; returns whether the event survives a crash.
    @discardableResult
    func append(_ event: StoredEvent) -> Bool

    /// Forgets events that were delivered or dropped.
    func remove(_ sequences: [Int64])

    /// The events found at the start, oldest first.
    func events() -> [StoredEvent]

    /// Does work that may take long, such as waiting for a disk; the network thread calls it about once per second.
    func tidy()
}
