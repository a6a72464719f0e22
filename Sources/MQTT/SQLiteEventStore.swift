import GRDB
package import Logging
import Synchronization

/// Keeps events in an SQLite file, so that no crash of the program loses any.
///
/// What is written survives the end of the program by whatever means. A power cut may cost the last few events, but
/// never the file. The same is kept in memory, so that a file that fails is replaced without a loss:
/// - a damaged file is moved aside, what can be read of it is saved into a new one;
/// - a file that cannot be written or was deleted is tried again every few seconds.
package final class SQLiteEventStore: EventStore {
    private struct State {
        /// Nil while the file cannot be opened.
        var file: OutboxFile?
        var hasBeenOpened = false
        /// The highest number used so far.
        var lastSequence: Int64 = 0
        var events: [Int64: StoredEvent] = [:]
        var values: [String: [UInt8]] = [:]
        /// What is in memory and not yet in the file.
        var unsaved = OutboxFile.Change()
        var condition = StoreCondition(.ok)
        /// The condition while writing works.
        var healthy = StoreCondition(.ok)
        var writes = 0
        var nextLook: Int64 = 0
        var nextRetry: Int64 = 0
    }

    /// So many writes make a log worth merging into the file: about half a megabyte.
    private static let writesPerCheckpoint = 128
    /// How often the file's place is looked at, in nanoseconds.
    private static let lookInterval: Int64 = 1_000_000_000
    /// How long after a failure the next attempt is made, in nanoseconds.
    private static let retryInterval: Int64 = 3_000_000_000

    /// The condition whenever it changes; for one reader.
    package let conditions: AsyncStream<StoreCondition>
    /// Whether values of earlier runs may be missing, because the file was damaged or cannot be opened.
    package let mayHaveLostValues: Bool

    private let path: String
    private let maximumPages: Int?
    private let logger: Logger
    private let found: [StoredEvent]
    private let state: Mutex<State>
    private let changes: AsyncStream<StoreCondition>.Continuation

    /// Opens or makes the file, along with the directories that lead to it.
    ///
    /// - Parameters:
    ///   - path: where the file is; each process needs its own.
    ///   - logger: gets one line per change of the condition.
    /// - Throws: `OutboxInUse` if another process has the file: both would number and send the same events.
    package convenience init(path: String, logger: Logger) throws(OutboxInUse) {
        try self.init(path: path, maximumPages: nil, logger: logger)
    }

    /// `maximumPages` limits the file's size as a full disk would.
    init(path: String, maximumPages: Int?, logger: Logger) throws(OutboxInUse) {
        self.path = path
        self.maximumPages = maximumPages
        self.logger = logger
        (conditions, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var state = State()
        do {
            found = try Self.open(path: path, maximumPages: maximumPages, into: &state)
            mayHaveLostValues = state.healthy.state != .ok
        } catch let error as OutboxInUse {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw OutboxInUse(path: path, holder: "another program")
        } catch {
            found = []
            mayHaveLostValues = true
            // The numbers used before are unknown, so these begin where no earlier run can have been.
            state.lastSequence = Self.numberByClock()
            state.condition = Self.failure(error)
            state.nextRetry = DeliveryClock.monotonic() + Self.retryInterval
        }
        self.state = Mutex(state)
        if state.condition.state != .ok { log(state.condition) }
    }

    deinit {
        changes.finish()
    }

    package var condition: StoreCondition { state.withLock(\.condition) }

    package func nextSequence() -> Int64 {
        state.withLock { state in
            state.lastSequence += 1
            return state.lastSequence
        }
    }

    @discardableResult
    package func append(_ event: StoredEvent) -> Bool {
        change { state in
            state.lastSequence = max(state.lastSequence, event.sequence)
            state.events[event.sequence] = event
            state.unsaved.events.append(event)
        }
    }

    /// Forgets events; what cannot be removed from the file now is removed together with a later write.
    package func remove(_ sequences: [Int64]) {
        change { state in
            for sequence in sequences where state.events.removeValue(forKey: sequence) != nil {
                if let index = state.unsaved.events.firstIndex(where: { $0.sequence == sequence }) {
                    state.unsaved.events.remove(at: index)
                } else {
                    state.unsaved.removed.insert(sequence)
                }
            }
        }
    }

    package func events() -> [StoredEvent] { found }

    package func value(for key: String) -> [UInt8]? { state.withLock { $0.values[key] } }

    package func set(_ value: [UInt8]?, for key: String) {
        change { state in
            state.values[key] = value
            state.unsaved.values.updateValue(value, forKey: key)
        }
    }

    /// Merges the log into the file once it has grown, and tries again what failed.
    package func tidy() {
        let now = DeliveryClock.monotonic()
        let (file, old, new) = state.withLock { state -> (OutboxFile?, StoreCondition, StoreCondition) in
            let old = state.condition
            if now >= state.nextLook {
                state.nextLook = now + Self.lookInterval
                if let file = state.file, !file.isInPlace {
                    state.file = nil
                    state.nextRetry = now
                    state.condition = StoreCondition(.memory, "its file was deleted")
                }
            }
            if state.condition.state == .memory, now >= state.nextRetry {
                state.nextRetry = now + Self.retryInterval
                retry(&state)
            }
            guard state.writes >= Self.writesPerCheckpoint else { return (nil, old, state.condition) }
            state.writes = 0
            return (state.file, old, state.condition)
        }
        if new != old { report(new) }
        guard let file else { return }
        do { try file.checkpoint() } catch { _ = change { state in self.fail(error, &state) } }
    }

    // MARK: - The file

    /// Opens the file; replaces a damaged one by a new one with what can be read of it.
    ///
    /// - Returns: the events found in it.
    private static func open(path: String, maximumPages: Int?, into state: inout State) throws -> [StoredEvent] {
        var contents: OutboxFile.Contents
        do {
            let file = try OutboxFile(path: path, maximumPages: maximumPages)
            contents = try file.read()
            state.file = file
        } catch  where OutboxFile.isDamage(error, path: path) {
            let aside = try OutboxFile.moveAside(path: path)
            contents = OutboxFile.salvage(path: aside)
            let file = try OutboxFile(path: path, maximumPages: maximumPages)
            let last = contents.lastSequence ?? max(contents.events.last?.sequence ?? 0, numberByClock())
            contents.lastSequence = last
            try file.write(
                .init(events: contents.events, values: contents.values.mapValues(Optional.some), lastSequence: last)
            )
            state.file = file
            state.healthy = StoreCondition(
                .restored,
                "\(OutboxFile.explain(error)): moved to \(aside), \(contents.events.count) events saved"
            )
        }
        state.condition = state.healthy
        state.lastSequence = max(state.lastSequence, contents.lastSequence ?? 0)
        if state.hasBeenOpened { return contents.events }
        state.hasBeenOpened = true
        for event in contents.events { state.events[event.sequence] = event }
        state.values.merge(contents.values) { memory, _ in memory }
        return contents.events
    }

    /// Opens a lost file again and writes what is in memory.
    private func retry(_ state: inout State) {
        if state.file == nil {
            let isLate = !state.hasBeenOpened
            do {
                let inFile = try Self.open(path: path, maximumPages: maximumPages, into: &state).map(\.sequence)
                // Events that were found so late stay in the file for the next run.
                if isLate { for sequence in inFile { state.events[sequence] = nil } }
                state.unsaved.events = state.events.values.sorted { $0.sequence < $1.sequence }
                state.unsaved.removed = isLate ? [] : Set(inFile).subtracting(state.events.keys)
                state.unsaved.values = state.values.mapValues(Optional.some)
                state.unsaved.lastSequence = state.lastSequence
                if state.condition.state == .ok {
                    state.healthy = StoreCondition(.restored, "its file could be opened again and holds all events")
                }
            } catch {
                state.condition = Self.failure(error)
                return
            }
        }
        save(&state)
    }

    /// Changes what is kept, and writes it.
    ///
    /// - Returns: whether everything is in the file.
    @discardableResult
    private func change(_ body: (inout State) -> Void) -> Bool {
        let (old, new) = state.withLock { state in
            let old = state.condition
            body(&state)
            save(&state)
            return (old, state.condition)
        }
        if new != old { report(new) }
        return new.state != .memory
    }

    private func save(_ state: inout State) {
        guard let file = state.file, !state.unsaved.isEmpty else { return }
        do {
            try file.write(state.unsaved)
            state.unsaved = OutboxFile.Change()
            state.writes += 1
            state.condition = state.healthy
        } catch {
            fail(error, &state)
        }
    }

    private func fail(_ error: any Error, _ state: inout State) {
        state.condition = Self.failure(error)
        // Opening it again finds out how damaged it is.
        if OutboxFile.isDamage(error, path: path) { state.file = nil }
    }

    private static func failure(_ error: any Error) -> StoreCondition {
        StoreCondition(.memory, OutboxFile.explain(error))
    }

    /// A number above all that earlier runs can have used: seconds since 1970, of which each had less than one event.
    private static func numberByClock() -> Int64 { DeliveryClock.system.now().wall / 1_000_000_000 }

    private func report(_ condition: StoreCondition) {
        log(condition)
        changes.yield(condition)
    }

    private func log(_ condition: StoreCondition) {
        let metadata: Logger.Metadata = ["file": "\(path)", "reason": "\(condition.detail ?? "")"]
        switch condition.state {
        case .ok: logger.info("the outbox can be written again", metadata: ["file": "\(path)"])
        case .restored: logger.warning("the outbox was restored", metadata: metadata)
        case .memory:
            logger.error(
                "the outbox cannot be used: events are kept in memory only, a crash loses them",
                metadata: metadata
            )
        }
    }
}

extension OutboxFile.Change {
    var isEmpty: Bool { events.isEmpty && removed.isEmpty && values.isEmpty && lastSequence == nil }
}
