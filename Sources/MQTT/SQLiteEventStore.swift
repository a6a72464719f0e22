import GRDB
public import Logging
import Synchronization

/// Keeps events in an SQLite file, so that neither a crash of the program nor one of the broker loses any.
///
/// What is written survives the end of the program by whatever means. A power cut may cost the last few events, but
/// never the file. Where the file cannot be used, or no longer, everything goes on in memory; the log and `degradation`
/// tell, and how many events that concerned is in `DeliveryCounters.unsafeEvents`.
public final class SQLiteEventStore: EventStore {
    private struct State {
        var lastSequence: Int64 = 0
        var numbers: [String: Int64] = [:]
        var values: [String: [UInt8]] = [:]
        /// The events in the file.
        var stored: Set<Int64> = []
        /// Those of them that are done with, whose removal has yet to succeed.
        var unremoved: Set<Int64> = []
        var writes = 0
        var degradation: String?

        /// Notes that events are out of the file.
        mutating func forget(_ done: Set<Int64>) {
            stored.subtract(done)
            unremoved.subtract(done)
        }
    }

    /// So many writes make a log worth merging into the file: about a megabyte.
    private static let writesPerTidying = 128

    private let path: String
    private let logger: Logger
    /// Nil when the file could not be opened at all.
    private let file: OutboxFile?
    private let found: [StoredEvent]
    private let state: Mutex<State>

    /// Opens or makes the file, along with the directories that lead to it.
    ///
    /// - Parameters:
    ///   - path: where the file is; no other program may use it at the same time.
    ///   - logger: gets one line when the store degrades, and one when it is well again.
    public convenience init(path: String, logger: Logger) {
        self.init(path: path, maximumPages: nil, logger: logger)
    }

    /// `maximumPages` limits the file's size as a full disk would.
    init(path: String, maximumPages: Int?, logger: Logger) {
        self.path = path
        self.logger = logger
        do {
            let file = try OutboxFile(path: path, maximumPages: maximumPages)
            let contents = try file.read()
            found = contents.events
            state = Mutex(
                State(
                    lastSequence: contents.lastSequence,
                    numbers: contents.numbers,
                    values: contents.values,
                    stored: Set(found.map(\.sequence))
                )
            )
            self.file = file
        } catch {
            found = []
            file = nil
            state = Mutex(State())
            degrade(error)
        }
    }

    /// Why new events would not survive a crash; nil while they do.
    public var degradation: String? { state.withLock(\.degradation) }

    /// The number for the next event.
    public func nextSequence() -> Int64 {
        state.withLock { state in
            state.lastSequence += 1
            return state.lastSequence
        }
    }

    /// Writes an event; false if it is in memory only.
    @discardableResult
    public func append(_ event: StoredEvent) -> Bool {
        let done = state.withLock { state in
            state.lastSequence = max(state.lastSequence, event.sequence)
            return state.unremoved
        }
        guard write({ file in try file.insert(event, removing: done) }) else { return false }
        state.withLock { state in
            state.stored.insert(event.sequence)
            state.forget(done)
        }
        return true
    }

    /// Forgets events; what cannot be removed now is removed together with a later write.
    public func remove(_ sequences: [Int64]) {
        let done = state.withLock { state in
            state.unremoved.formUnion(state.stored.intersection(sequences))
            return state.unremoved
        }
        guard !done.isEmpty, write({ file in try file.remove(done) }) else { return }
        state.withLock { $0.forget(done) }
    }

    /// The events that were kept when the file was opened, oldest first.
    public func events() -> [StoredEvent] { found }

    /// The value kept under a key.
    public func value(for key: String) -> [UInt8]? {
        state.withLock { $0.values[key] }
    }

    /// Keeps a value under a key.
    public func set(_ value: [UInt8]?, for key: String) {
        state.withLock { $0.values[key] = value }
        write { file in try file.set(value, for: key) }
    }

    /// Counts a key's number up, and writes it.
    public func nextValue(for key: String) -> Int64 {
        let number = state.withLock { state in
            state.numbers[key, default: 0] += 1
            return state.numbers[key, default: 0]
        }
        write { file in try file.set(number: number, for: key) }
        return number
    }

    /// Merges what was written lately into the file, which waits for the disk.
    public func tidy() {
        let isDue = state.withLock { state in
            guard state.writes >= Self.writesPerTidying else { return false }
            state.writes = 0
            return true
        }
        guard isDue, let file else { return }
        do { try file.checkpoint() } catch { degrade(error) }
    }

    /// Writes, and notes how it went.
    @discardableResult
    private func write(_ body: (OutboxFile) throws -> Void) -> Bool {
        guard let file else { return false }
        do {
            try body(file)
            let hadTrouble = state.withLock { state in
                state.writes += 1
                defer { state.degradation = nil }
                return state.degradation != nil
            }
            if hadTrouble { logger.info("the outbox can be written again", metadata: ["file": "\(path)"]) }
            return true
        } catch {
            degrade(error)
            return false
        }
    }

    private func degrade(_ error: any Error) {
        let reason = "\(OutboxFile.explain(error)): events are kept in memory only, and a crash loses them"
        let isNew = state.withLock { state in
            defer { state.degradation = reason }
            return state.degradation != reason
        }
        guard isNew else { return }
        logger.error("the outbox cannot be used", metadata: ["file": "\(path)", "reason": "\(reason)"])
    }
}
