import Foundation
import GRDB
import System

/// One outbox file, opened by one process at a time: its tables, and each operation as one transaction.
///
/// GRDB's queues make it safe to use from any thread.
final class OutboxFile: Sendable {
    struct Contents {
        var events: [StoredEvent] = []
        var values: [String: [UInt8]] = [:]
        /// The highest number any event ever had, those already removed included.
        var lastSequence: Int64 = 0
    }

    /// What is to be written, in one transaction.
    struct Change {
        var events: [StoredEvent] = []
        var removed: [Int64] = []
        /// Nil removes the value.
        var values: [String: [UInt8]?] = [:]
    }

    /// Why a file cannot be used although SQLite could.
    enum Failure: Error, CustomStringConvertible {
        case newer
        case damaged(String)
        case system(String, Int32)

        var description: String {
            switch self {
            case .newer: "it was written by a newer version of this program"
            case .damaged(let what): "it is damaged (\(what))"
            case .system(let attempt, let code): "cannot \(attempt): \(String(cString: strerror(code)))"
            }
        }
    }

    /// Event numbers that are believed. JSON readers take integers up to 2^53 exactly; half of that leaves room for
    /// counting on from any accepted number.
    static let sequences: ClosedRange<Int64> = 1...(1 << 52)

    private static let tables = [
        // Version 0.1 made these tables, which stay as they are; nothing uses `expiry`.
        // AUTOINCREMENT keeps the highest number ever used even when all events are gone.
        "event": """
        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot TEXT NOT NULL,
            topic TEXT NOT NULL, payload BLOB NOT NULL,
            contentType TEXT, userProperties BLOB NOT NULL, expiry INTEGER
        )
        """,
        "value": "CREATE TABLE value (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    ]

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            // Version 0.1 of this program made the same tables without noting a migration.
            for (name, sql) in tables where try !database.tableExists(name) { try database.execute(sql: sql) }
        }
        return migrator
    }()

    private let queue: DatabaseQueue
    /// A second connection, so that waiting for the disk does not hold up writers.
    private let checkpointer: DatabaseQueue
    /// Released after the file is closed.
    private let lock: OutboxLock?
    private let path: String
    private let identity: [UInt64]

    /// Opens or makes the file in a directory that exists.
    ///
    /// - Parameters:
    ///   - path: where the file is.
    ///   - maximumPages: limits the file's size, as a full disk would.
    ///   - lock: is held as long as the file is open.
    /// - Throws: `Failure` or GRDB's `DatabaseError`.
    init(path: String, maximumPages: Int?, lock: OutboxLock?) throws {
        (self.path, self.lock) = (path, lock)
        // Made here, so that no other user may read it; SQLite gives its companion files the same mode.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        // Of what cannot be opened SQLite does not say why; what follows from permissions is diagnosed below.
        if descriptor < 0, errno == EMFILE || errno == ENFILE { throw Failure.system("open \(path)", errno) }
        if descriptor >= 0 { close(descriptor) }
        var configuration = Configuration()
        configuration.label = "outbox"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            // Written to the kernel at once, to the disk by `checkpoint`: that survives any end of the program.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try database.execute(sql: "PRAGMA journal_size_limit = 1000000")
            if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try Self.migrator.migrate(queue)
        checkpointer = try DatabaseQueue(path: path, configuration: configuration)
        identity = try Self.identity(of: path)
    }

    deinit {
        // Before the lock is released.
        try? checkpointer.close()
        try? queue.close()
    }

    static func identity(of path: String) throws -> [UInt64] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure.system("find \(path)", errno) }
        return identity(status)
    }

    static func identity(_ status: stat) -> [UInt64] { [UInt64(status.st_dev), UInt64(status.st_ino)] }

    /// Whether the file is still in its place, not deleted or replaced.
    var isInPlace: Bool { (try? Self.identity(of: path)) == identity }

    /// Reads everything.
    ///
    /// A damaged page may go unnoticed until much later, so all of this small file is checked now.
    /// - Throws: what is wrong with the file.
    func read() throws -> Contents {
        try queue.read { database in
            let versions = try Self.migrator.appliedIdentifiers(database)
            // A newer program adds to the versions; without ours the page that holds them is damaged.
            guard versions.contains("v1") else { throw Failure.damaged("its version cannot be read") }
            guard versions.count == 1 else { throw Failure.newer }
            if let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), problem != "ok" {
                throw Failure.damaged(problem)
            }
            for (name, sql) in Self.tables {
                let found = try String.fetchOne(
                    database,
                    sql: "SELECT sql FROM sqlite_master WHERE name = ?",
                    arguments: [name]
                )
                guard found == sql else { throw Failure.damaged("its table \(name) is not as it was made") }
            }
            var contents = Contents(lastSequence: try Self.lastSequence(in: database))
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM event ORDER BY sequence")
            while let row = try rows.next() { contents.events.append(try StoredEvent(row)) }
            let values = try Row.fetchCursor(database, sql: "SELECT key, value FROM value")
            while let row = try values.next() {
                guard case .string(let key) = (row[0] as DatabaseValue).storage,
                    case .blob(let value) = (row[1] as DatabaseValue).storage
                else { throw Failure.damaged("a value cannot be read") }
                contents.values[key] = [UInt8](value)
            }
            guard contents.events.last.map({ $0.sequence <= contents.lastSequence }) != false else {
                throw Failure.damaged("its highest event number is not the highest")
            }
            return contents
        }
    }

    private static func lastSequence(in database: Database) throws -> Int64 {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'event'"
        switch try DatabaseValue.fetchOne(database, sql: sql)?.storage {
        case nil: return 0
        case .int64(let last) where last == 0 || sequences.contains(last): return last
        default: throw Failure.damaged("its highest event number cannot be read")
        }
    }

    /// The highest number used so far, as far as a damaged file still shows; 0 if it does not.
    static func lastSequence(inDamaged path: String) -> Int64 {
        (try? DatabaseQueue(path: path).read { try lastSequence(in: $0) }) ?? 0
    }

    func write(_ change: Change) throws {
        // A single statement is a transaction by itself, which saves the two that begin and end one.
        if change.events.count + change.removed.count + change.values.count == 1 {
            try queue.writeWithoutTransaction { try Self.write(change, to: $0) }
        } else {
            try queue.write { try Self.write(change, to: $0) }
        }
    }

    func write(all contents: Contents) throws {
        try queue.write { database in
            try database.execute(sql: "DELETE FROM event; DELETE FROM value; DELETE FROM sqlite_sequence")
            try Self.write(Change(events: contents.events, values: contents.values.mapValues(\.self)), to: database)
            try database.execute(
                sql: "INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq) "
                    + "VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'event'), 'event', ?)",
                arguments: [contents.lastSequence]
            )
        }
    }

    private static func write(_ change: Change, to database: Database) throws {
        try execute("DELETE FROM event WHERE sequence = ?", change.removed.map { [$0] }, database)
        let insert = "INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        try execute(insert, change.events.map(\.arguments), database)
        for (key, value) in change.values {
            if let value {
                try execute("INSERT OR REPLACE INTO value VALUES (?, ?)", [[key, Data(value)]], database)
            } else {
                try execute("DELETE FROM value WHERE key = ?", [[key]], database)
            }
        }
    }

    private static func execute(_ sql: String, _ rows: [StatementArguments], _ database: Database) throws {
        guard !rows.isEmpty else { return }
        let statement = try database.cachedStatement(sql: sql)
        for arguments in rows { try statement.execute(arguments: arguments) }
    }

    /// Merges the write-ahead log into the file, which waits for the disk while writers go on.
    ///
    /// - Parameter prepare: is called on the connection that does it, first.
    /// - Throws: GRDB's `DatabaseError`.
    func checkpoint(_ prepare: () -> Void = {}) throws {
        // Passive: the other kinds hold the lock that writers need while they wait for the disk.
        _ = try checkpointer.writeWithoutTransaction { database in
            prepare()
            try database.checkpoint(.passive)
        }
    }

    /// Moves a damaged file aside, under a name with the date.
    ///
    /// - Returns: its new path.
    static func moveAside(path: String) throws -> String {
        let time = Date.now.formatted(.iso8601.timeSeparator(.omitted))
        let aside = "\(path).damaged-\(time)"
        for suffix in ["", "-wal"] where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
            throw Failure.system("move the damaged file to \(aside)", errno)
        }
        unlink(path + "-shm")
        return aside
    }

    /// What an error says about the file, in words a person can act on, and whether its contents are wrong rather than that
    /// they cannot be reached or written.
    static func diagnosis(of error: any Error, path: String) -> (text: String, isDamage: Bool) {
        if case Failure.damaged = error { return ("\(error)", true) }
        // A value of another type than was written, as in the migrations' table, which GRDB reads.
        if error is RowDecodingError { return ("\(Failure.damaged("a value cannot be read"))", true) }
        guard let error = error as? DatabaseError else { return ("\(error)", false) }
        let message = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: return ("another program uses it", false)
        // A damaged header can make a file read-only, too.
        case .SQLITE_READONLY where access(path, W_OK) == 0: return ("\(Failure.damaged(message))", true)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            return ("it cannot be written; check who may write there", false)
        case .SQLITE_FULL: return ("the disk is full", false)
        case .SQLITE_NOMEM: return (message, false)
        case .SQLITE_IOERR: return (message, error.extendedResultCode == .SQLITE_IOERR_SHORT_READ)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return ("\(Failure.damaged(message))", true)
        default: return (message, true)
        }
    }
}

extension StoredEvent {
    /// Reads an event back from its row.
    ///
    /// - Throws: `OutboxFile.Failure.damaged` where the types or ranges are not those that were written.
    fileprivate init(_ row: Row) throws {
        let cells = (0..<row.count).map { (row[$0] as DatabaseValue).storage }
        let nanoseconds: ClosedRange<Int64> = 0...(1 << 62)
        guard cells.count == 9, case .int64(let sequence) = cells[0], OutboxFile.sequences.contains(sequence),
            case .int64(let wall) = cells[1], nanoseconds.contains(wall),
            case .int64(let uptime) = cells[2], nanoseconds.contains(uptime),
            case .string(let boot) = cells[3],
            case .string(let topic) = cells[4], !topic.isEmpty,
            case .blob(let payload) = cells[5],
            case .blob(let properties) = cells[7]
        else { throw OutboxFile.Failure.damaged("an event cannot be read") }
        var message = MQTTMessage(topic: topic, payload: [UInt8](payload), qos: .atLeastOnce)
        if case .string(let contentType) = cells[6] { message.contentType = contentType }
        // MQTT forbids U+0000 in its strings, which makes it a safe separator.
        let texts = String(decoding: properties, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: texts.count - 1, by: 2) {
            message.userProperties.append(.init(String(texts[index]), String(texts[index + 1])))
        }
        self.init(sequence: sequence, time: .init(wall: wall, uptime: uptime, boot: boot), message: message)
    }

    /// The values of its row, in the order of the table's columns.
    fileprivate var arguments: StatementArguments {
        let properties = message.userProperties.flatMap { [$0.name, $0.value] }.joined(separator: "\0")
        return [
            sequence, time.wall, time.uptime, time.boot, message.topic, Data(message.payload),
            message.contentType, Data(properties.utf8), nil,
        ]
    }
}
