import CSQLite
import Dispatch

/// Keeps events and a few small values in an SQLite file, so that a crash loses none; without a file, in memory.
///
/// Written data reaches the kernel at once, so it survives any end of the program. It reaches the disk at the next
/// checkpoint: a power cut may lose what was written since then (up to 128 writes), but never the file. All data is
/// also kept in memory, so that a file that fails while it is in use is replaced without a loss:
/// - a damaged file is moved aside and a new one begins; if it was damaged at the start, its events are not sent;
/// - a file that cannot be written or was deleted is tried again every few seconds.
package final class Outbox: EventStore {
    private struct State {
        /// The path of the file; nil if events are kept in memory only.
        var path: String?
        var maximumPages: Int?
        /// The open file; nil while it cannot be used.
        var file: OutboxFile?
        /// The lock, kept while the outbox is reopened: closing another descriptor of the lock's file would release it.
        var lock: OutboxLock?
        var hasBeenOpened = false
        /// The content of the file, or what the file must contain once it can be used again.
        var contents = OutboxFile.Contents()
        /// The values given to `nextSequence`, to be stored in one transaction with that event, by the event's number.
        var pending: [Int64: [String: [UInt8]?]] = [:]
        /// The condition to report while the file can be used.
        var healthy = StoreCondition(state: .ok)
        /// The reason why the file cannot be used, or the fact that there is no file.
        var problem = "events are kept in memory only"
        var writes = 0
        var nextCheck: Int64 = 0
        var nextRetry: Int64 = 0

        var condition: StoreCondition { file == nil ? StoreCondition(state: .memory, detail: problem) : healthy }

        /// Opens the file; moves a damaged one aside and begins a new one.
        mutating func open(_ path: String) throws {
            let opened: OutboxFile
            var found = OutboxFile.Contents()
            if lock?.isInPlace != true { lock = try OutboxLock(of: path) }
            do {
                // A damaged file is closed before a new one takes its name: SQLite finds a file's log by the name.
                let file = try OutboxFile(path: path, maximumPages: maximumPages, lock: lock)
                found = try file.read()
                opened = file
            } catch {
                let damage = OutboxFile.Failure(error, path: path)
                guard damage.isDamage else { throw error }
                found.lastSequence = OutboxFile.lastSequence(inDamaged: path)
                let aside = try OutboxFile.moveAside(path: path)
                opened = try OutboxFile(path: path, maximumPages: maximumPages, lock: lock)
                lock?.note(isStale: true)
                let detail = "\(damage): moved to \(aside), a new one begins"
                healthy = StoreCondition(state: .restored, detail: detail)
            }
            // A file that is first opened late may have events of an earlier run, which stay in it for the next run.
            if !hasBeenOpened {
                contents.events.merge(found.events) { memory, _ in memory }
                contents.values.merge(found.values) { memory, _ in memory }
                contents.lastSequence = max(contents.lastSequence, found.lastSequence)
            }
            hasBeenOpened = true
            file = opened
        }

        /// Tries again to use the file, and writes the contents of memory into it.
        mutating func reopen() {
            guard let path else { return }
            if hasBeenOpened, access(path, F_OK) != 0 {
                let detail = "its file was deleted; it could be opened again and holds all events"
                healthy = StoreCondition(state: .restored, detail: detail)
            }
            do {
                try open(path)
                settle()
            } catch {
                fail(error)
            }
        }

        /// Writes the contents of memory into the file, and notes in the lock's file that all event numbers are there.
        mutating func settle() {
            guard let file else { return }
            do {
                try file.write(all: contents)
                lock?.note(isStale: false)
            } catch {
                fail(error)
            }
        }

        /// Continues in memory after an error; opening the file again will show whether it is damaged.
        mutating func fail(_ error: any Error) {
            file = nil
            lock?.note(isStale: true)
            nextRetry = DeliveryClock.monotonic() + retryInterval
            problem = OutboxFile.Failure(error, path: path ?? "").description
        }
    }

    /// The number of writes, about half a megabyte, after which the write-ahead log is merged into the file.
    private static let writesPerCheckpoint = 128
    /// The interval of the checks whether the file was deleted or replaced, in nanoseconds.
    private static let checkInterval: Int64 = 1_000_000_000
    /// The wait between a failure and the next attempt to use the file, in nanoseconds.
    private static let retryInterval: Int64 = 3_000_000_000

    /// The condition after each change; for one reader, who gets only the newest one.
    package let conditions: AsyncStream<StoreCondition>
    /// Whether event numbers and stored values of earlier runs are missing, because the disk was full, or the file is
    /// damaged or cannot be opened. Later runs find this true, too, until one of them calls `settle`.
    package let hasLostValues: Bool
    package let events: [StoredEvent]
    private let path: String?
    private let logger: Logger
    private let state: Mutex<State>
    /// A copy of the condition, readable while the state's lock is held for a write to the disk.
    private let published: Mutex<StoreCondition>
    private let checkpoints = DispatchQueue(label: "outbox")
    private let changes: AsyncStream<StoreCondition>.Continuation

    /// Makes an outbox that keeps events in memory only.
    package convenience init() {
        self.init(State(), logger: Logger(label: "outbox"))
    }

    /// Opens or makes the file and its directories. `maximumPages` limits its size as a full disk would. `logger` gets
    /// the changes of the condition. Throws `OutboxInUse` if another process uses the file.
    package convenience init(path: String, maximumPages: Int? = nil, logger: Logger) throws(OutboxInUse) {
        var state = State(path: path, maximumPages: maximumPages)
        do {
            try state.open(path)
        } catch let error as OutboxInUse {
            throw error
        } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
            throw OutboxInUse(path: path, holder: "another program")
        } catch {
            state.fail(error)
        }
        self.init(state, logger: logger)
        if state.condition.state != .ok { log(state.condition) }
    }

    private init(_ opened: State, logger: Logger) {
        var state = opened
        path = state.path
        self.logger = logger
        (conditions, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        hasLostValues = state.lock?.foundStale == true || path != nil && state.condition.state != .ok
        if hasLostValues {
            // Milliseconds since 1970 are above all numbers used so far: no run has had an event each millisecond.
            let number = DeliveryClock.system.now().wall / 1_000_000
            state.contents.lastSequence = max(state.contents.lastSequence, number)
        }
        events = state.contents.events.values.sorted { $0.sequence < $1.sequence }
        published = Mutex(state.condition)
        self.state = Mutex(state)
    }

    deinit {
        changes.finish()
        checkpoints.sync {}
    }

    package var condition: StoreCondition { published.withLock(\.self) }

    package func nextSequence() -> Int64 { nextSequence(with: [:]) }

    /// Returns a number for the next event. `values` are written together with that event, so that a crash loses both
    /// or neither. An outbox without a file stores the values at once.
    package func nextSequence(with values: [String: [UInt8]?]) -> Int64 {
        state.withLock { state in
            state.contents.lastSequence += 1
            let number = state.contents.lastSequence
            if path == nil { state.contents.apply(.init(values: values)) } else { state.pending[number] = values }
            return number
        }
    }

    @discardableResult
    package func append(_ event: StoredEvent) -> Bool {
        let values = state.withLock { $0.pending.removeValue(forKey: event.sequence) ?? [:] }
        return write(.init(events: [event], values: values))
    }

    package func remove(_ sequences: [Int64]) {
        if !sequences.isEmpty { write(.init(removed: sequences)) }
    }

    package func value(for key: String) -> [UInt8]? { state.withLock { $0.contents.values[key] } }

    /// Stores a value under a key; nil removes the value. May wait for the disk.
    package func set(_ value: [UInt8]?, for key: String) { set([key: value]) }

    /// Stores values under their keys in one transaction; nil removes a value.
    package func set(_ values: [String: [UInt8]?]) { write(.init(values: values)) }

    /// Writes all events, the last event number and all stored values into the file. Lost values must be set anew
    /// before this call, since later runs then find `hasLostValues` false.
    package func settle() { updating { $0.settle() } }

    /// Tries to reopen a file that failed or was deleted. Merges a large write-ahead log into it, in the background.
    package func tidy() {
        let now = DeliveryClock.monotonic()
        let file = updating { state -> OutboxFile? in
            if let file = state.file, now >= state.nextCheck {
                state.nextCheck = now + Self.checkInterval
                if !file.isInPlace {
                    state.file = nil
                    state.nextRetry = now
                }
            }
            if state.file == nil, now >= state.nextRetry { state.reopen() }
            guard state.writes >= Self.writesPerCheckpoint else { return nil }
            state.writes = 0
            return state.file
        }
        guard let file else { return }
        // In the background, since this waits for the disk and the network thread must answer the broker.
        checkpoints.async { [weak self] in
            do { try file.checkpoint() } catch { self?.updating { if $0.file === file { $0.fail(error) } } }
        }
    }

    /// Applies a change in memory and in the file; returns whether the file has it.
    @discardableResult
    private func write(_ change: OutboxFile.Change) -> Bool {
        updating { state in
            state.contents.apply(change)
            guard let file = state.file else { return false }
            do {
                try file.write(change)
                state.writes += 1
                return true
            } catch {
                state.fail(error)
                return false
            }
        }
    }

    private func updating<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, news) = state.withLock { state in
            let result = body(&state)
            let before = published.withLock { exchange(&$0, with: state.condition) }
            return (result, state.condition == before ? nil : state.condition)
        }
        if let news {
            log(news)
            changes.yield(news)
        }
        return result
    }

    private func log(_ condition: StoreCondition) {
        var metadata: Logger.Metadata = ["file": "\(path ?? "")"]
        metadata["reason"] = condition.detail.map { "\($0)" }
        switch condition.state {
        case .ok: logger.info("the outbox can be written again", metadata: metadata)
        case .restored: logger.warning("the outbox was replaced", metadata: metadata)
        case .memory:
            let consequence = "events are kept in memory only, a crash loses them"
            logger.error("the outbox cannot be used: \(consequence)", metadata: metadata)
        }
    }
}
