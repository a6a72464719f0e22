import Synchronization

/// An event that waits for the broker's acknowledgement.
package struct StoredEvent: Hashable, Sendable {
    /// The event's number, which orders it; unique and growing across restarts.
    package var sequence: Int64
    package var time: DeliveryClock.Moment
    package var message: MQTTMessage

    package init(sequence: Int64, time: DeliveryClock.Moment, message: MQTTMessage) {
        self.sequence = sequence
        self.time = time
        self.message = message
    }
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

    package init(_ state: State, _ detail: String? = nil) {
        self.state = state
        self.detail = detail
    }
}

/// Keeps events until the broker has acknowledged them, and a few small values besides.
///
/// All calls are thread-safe and short. None throws: a store that can no longer write continues in memory and reports it
/// through `condition`.
package protocol EventStore: Sendable {
    /// The number for the next event, which its payload may carry. The number becomes permanent by `append`, so a crash
    /// between the two leaves no gap.
    func nextSequence() -> Int64

    /// Keeps an event.
    ///
    /// - Returns: whether the event survives a crash.
    @discardableResult
    func append(_ event: StoredEvent) -> Bool

    /// Forgets events that were delivered or dropped.
    func remove(_ sequences: [Int64])

    /// The events found at the start, oldest first.
    func events() -> [StoredEvent]

    func value(for key: String) -> [UInt8]?

    /// Keeps a value under a key; nil forgets it.
    func set(_ value: [UInt8]?, for key: String)

    /// Does work that may take long, such as waiting for a disk; the network thread calls it about once per second.
    func tidy()

    /// Whether events survive a crash.
    var condition: StoreCondition { get }

    /// Whether values that an earlier run kept may be missing now.
    var mayHaveLostValues: Bool { get }
}

/// Keeps events as long as the process lives.
package final class MemoryEventStore: EventStore {
    private struct State {
        var lastSequence: Int64 = 0
        var events: [Int64: StoredEvent] = [:]
        var values: [String: [UInt8]] = [:]
    }

    private let state: Mutex<State>

    /// Makes an empty store whose next event gets the number after `lastSequence`.
    package init(lastSequence: Int64 = 0) {
        state = Mutex(State(lastSequence: lastSequence))
    }

    package var condition: StoreCondition { StoreCondition(.memory, "events are kept in memory only") }
    package var mayHaveLostValues: Bool { false }

    package func nextSequence() -> Int64 {
        state.withLock { state in
            state.lastSequence += 1
            return state.lastSequence
        }
    }

    @discardableResult
    package func append(_ event: StoredEvent) -> Bool {
        state.withLock { state in
            state.lastSequence = max(state.lastSequence, event.sequence)
            state.events[event.sequence] = event
        }
        return false
    }

    package func remove(_ sequences: [Int64]) {
        state.withLock { state in
            for sequence in sequences { state.events[sequence] = nil }
        }
    }

    package func events() -> [StoredEvent] {
        state.withLock { $0.events.values.sorted { $0.sequence < $1.sequence } }
    }

    package func value(for key: String) -> [UInt8]? { state.withLock { $0.values[key] } }

    package func set(_ value: [UInt8]?, for key: String) { state.withLock { $0.values[key] = value } }

    package func tidy() {}
}
