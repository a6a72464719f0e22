/// Keeps events until the broker has acknowledged them. Safe to use from any thread.
package protocol EventStore: Sendable {
    /// Returns a number for the next event. After a crash before `append`, the same number is given again.
    func nextSequence() -> Int64

    /// Stores an event; returns whether the event survives a crash.
    @discardableResult
    func append(_ event: StoredEvent) -> Bool

    /// Removes events that were delivered or dropped.
    func remove(_ sequences: [Int64])

    /// The events that an earlier run left, oldest first.
    var events: [StoredEvent] { get }

    /// Does maintenance that is not urgent; the network thread calls it at least once per second.
    func tidy()
}

/// An event that waits for the broker's acknowledgement.
package struct StoredEvent: Hashable, Sendable {
    /// The event's number, unique and growing across restarts.
    package var sequence: Int64
    package var time: DeliveryClock.Moment
    package var message: MQTTMessage
}

/// The condition of an event store: whether events survive a crash, and if not, why.
package struct StoreCondition: Hashable, Sendable {
    /// The place where events are kept.
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Events are kept in the store's file.
        case ok
        /// Events are kept in a file that replaced a damaged or deleted one during this run.
        case restored
        /// Events are kept in memory only, because there is no usable file. The store keeps trying.
        case memory
    }

    package var state: State
    /// The explanation for people; nil while the state is `ok`.
    package var detail: String?
}
