import Synchronization

/// Keeps events as long as the process lives.
public final class MemoryEventStore: EventStore {
    private struct State {
        var lastSequence: Int64 = 0
        var events: [StoredEvent] = []
        var values: [String: [UInt8]] = [:]
        var numbers: [String: Int64] = [:]
    }

    private let state: Mutex<State>

    /// Makes an empty store whose next event gets the number after `lastSequence`.
    public init(lastSequence: Int64 = 0) {
        state = Mutex(State(lastSequence: lastSequence))
    }

    /// Why nothing survives a crash.
    public var degradation: String? { "events are kept in memory only" }

    /// The number for the next event.
    public func nextSequence() -> Int64 {
        state.withLock { state in
            state.lastSequence += 1
            return state.lastSequence
        }
    }

    /// Keeps an event; false, since it does not survive a crash.
    @discardableResult
    public func append(_ event: StoredEvent) -> Bool {
        state.withLock { state in
            state.lastSequence = max(state.lastSequence, event.sequence)
            state.events.append(event)
        }
        return false
    }

    /// Forgets events.
    public func remove(_ sequences: [Int64]) {
        guard !sequences.isEmpty else { return }
        state.withLock { state in
            // Events leave from the front, so the search ends at once.
            for sequence in sequences {
                guard let index = state.events.firstIndex(where: { $0.sequence == sequence }) else { continue }
                state.events.remove(at: index)
            }
        }
    }

    /// The events kept, oldest first.
    public func events() -> [StoredEvent] {
        state.withLock(\.events)
    }

    /// The value kept under a key.
    public func value(for key: String) -> [UInt8]? {
        state.withLock { $0.values[key] }
    }

    /// Keeps a value under a key.
    public func set(_ value: [UInt8]?, for key: String) {
        state.withLock { $0.values[key] = value }
    }

    /// Nothing to do.
    public func tidy() {}

    /// Counts a key's number up.
    public func nextValue(for key: String) -> Int64 {
        state.withLock { state in
            state.numbers[key, default: 0] += 1
            return state.numbers[key, default: 0]
        }
    }
}
