import CSQLite
import Foundation

/// The SQLite file of an outbox, opened by one process at a time. Safe to use from any thread.
final class OutboxFile: Sendable {
    struct Contents {
        var events: [Int64: StoredEvent] = [:]
        var values: [String: [UInt8]] = [:]
        /// The highest event number ever used, including those of removed events.
        var lastSequence: Int64 = 0

        mutating func apply(_ change: Change) {
            for sequence in change.removed { events[sequence] = nil }
            for event in change.events {
                events[event.sequence] = event
                lastSequence = max(lastSequence, event.sequence)
            }
            for (key, value) in change.values { values[key] = value }
        }
    }

    struct Change {
        var events: [StoredEvent] = []
        var removed: [Int64] = []
        /// The values to store by their keys; nil removes a value.
        var values: [String: [UInt8]?] = [:]
    }

    /// The reason why a file cannot be used, in words for people.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// Whether the contents are damaged, and not only unreachable or unwritable.
        var isDamage = false

        static func damaged(_ what: String) -> Self { Self(description: "it is damaged (\(what))", isDamage: true) }
        static let newer = Self(description: "it was written by a newer version of this program")
    }

    /// The valid event numbers in a file. JSON readers are exact up to 2^53; half of that leaves room for new numbers.
    static let sequences: ClosedRange<Int64> = 1...(1 << 52)

    /// The size of the write-ahead log, in bytes, above which a checkpoint cuts it: some times what is usual at one.
    private static let longestLog = 2_000_000

    /// The text of each table's definition after `CREATE TABLE`; SQLite stores it, and `read` compares it.
    private static let tables = [
        // Version 0.1 made these tables, which stay as they are; nothing uses `expiry`.
        // AUTOINCREMENT keeps the highest number ever used even when all events are gone.
        "event": """
        event (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot TEXT NOT NULL,
            topic TEXT NOT NULL, payload BLOB NOT NULL,
            contentType TEXT, userProperties BLOB NOT NULL, expiry INTEGER
        )
        """,
        "value": "value (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    ]

    private let connection: Mutex<SQLiteConnection>
    /// A second connection for checkpoints, so that their wait for the disk does not hold up writers.
    let checkpointer: Mutex<SQLiteConnection>
    private let lock: OutboxLock?
    private let path: String
    private let identity: [UInt64]

    /// Opens or makes the file, keeping `lock` while it is open. Throws `Failure`, `SystemError` or `SQLiteError`.
    init(path: String, maximumPages: Int?, lock: OutboxLock?) throws {
        self.path = path
        self.lock = lock
        // Made here, so that no other user may read it; SQLite gives its companion files the same mode.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        // SQLite does not say why a file cannot be opened, and `Failure` assumes that permissions are missing.
        if descriptor < 0, errno == EMFILE || errno == ENFILE { throw SystemError("open \(path)", errno) }
        if descriptor >= 0 { close(descriptor) }
        let first = try Self.connect(to: path, maximumPages)
        try Self.makeTables(of: first)
        connection = Mutex(first)
        checkpointer = Mutex(try Self.connect(to: path, maximumPages))
        identity = try Self.identity(of: path)
    }

    deinit {
        // The connections are closed before the lock is released.
        checkpointer.withLock { $0.close() }
        connection.withLock { $0.close() }
    }

    private static func connect(to path: String, _ maximumPages: Int?) throws -> sending SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        // Writes reach the kernel at once, so they survive any end of the program, and the disk with `checkpoint`.
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
        if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
        return connection
    }

    /// Makes missing tables. Their version is in a separate table, which files of Facet 0.1 lack.
    private static func makeTables(of connection: SQLiteConnection) throws {
        try connection.execute("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        guard try !versions(in: connection).contains("v1") else { return }
        try connection.transaction {
            for table in tables.values { try connection.execute("CREATE TABLE IF NOT EXISTS \(table)") }
            try connection.execute("INSERT INTO grdb_migrations VALUES ('v1')")
        }
    }

    private static func versions(in connection: SQLiteConnection) throws -> [String] {
        try connection.execute("SELECT identifier FROM grdb_migrations").map { row in
            guard case .text(let version) = row[0] else { throw Failure.damaged("its version cannot be read") }
            return version
        }
    }

    static func identity(of path: String) throws -> [UInt64] {
        guard let status = fileStatus(path) else { throw SystemError("find \(path)", errno) }
        return identity(status)
    }

    static func identity(_ status: stat) -> [UInt64] { [UInt64(status.st_dev), UInt64(status.st_ino)] }

    /// Whether the path still leads to this file, which may have been deleted or replaced.
    var isInPlace: Bool { (try? Self.identity(of: path)) == identity }

    /// Reads and checks the whole file, since damage might otherwise go unnoticed for long; throws the first error.
    func read() throws -> Contents {
        try connection.withLock { connection in
            try connection.transaction(isWriting: false) { try Self.read(connection) }
        }
    }

    private static func read(_ connection: SQLiteConnection) throws -> Contents {
        let versions = try versions(in: connection)
        // A newer program adds its version to `v1`; without `v1`, the page with the versions is damaged.
        guard versions.contains("v1") else { throw Failure.damaged("its version cannot be read") }
        guard versions.count == 1 else { throw Failure.newer }
        if case .text(let problem)? = try connection.execute("PRAGMA quick_check(1)").first?[0], problem != "ok" {
            throw Failure.damaged(problem)
        }
        let made = "SELECT 1 FROM sqlite_master WHERE name = ? AND sql = ?"
        for (name, table) in tables
        where try connection.execute(made, [.text(name), .text("CREATE TABLE \(table)")]).isEmpty {
            throw Failure.damaged("its table \(name) is not as it was made")
        }
        var contents = Contents(lastSequence: try lastSequence(in: connection))
        let events = try connection.execute("SELECT * FROM event").map { try StoredEvent($0) }
        contents.events = Dictionary(events.map { ($0.sequence, $0) }, uniquingKeysWith: { $1 })
        for row in try connection.execute("SELECT key, value FROM value") {
            guard case .text(let key) = row[0], case .blob(let value) = row[1] else {
                throw Failure.damaged("a value cannot be read")
            }
            contents.values[key] = value
        }
        guard contents.events.keys.max() ?? 0 <= contents.lastSequence else {
            throw Failure.damaged("its highest event number is not the highest")
        }
        return contents
    }

    private static func lastSequence(in connection: SQLiteConnection) throws -> Int64 {
        switch try connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'event'").first?[0] {
        case nil: return 0
        case .integer(let last) where last == 0 || sequences.contains(last): return last
        default: throw Failure.damaged("its highest event number cannot be read")
        }
    }

    /// The highest event number that can still be read from a damaged file; 0 if it cannot be read.
    static func lastSequence(inDamaged path: String) -> Int64 {
        (try? lastSequence(in: SQLiteConnection(path: path))) ?? 0
    }

    func write(_ change: Change) throws {
        try connection.withLock { connection in
            // A single statement is a transaction by itself, which saves the two that begin and end one.
            if change.events.count + change.removed.count + change.values.count == 1 {
                try Self.write(change, to: connection)
            } else {
                try connection.transaction { try Self.write(change, to: connection) }
            }
        }
    }

    func write(all contents: Contents) throws {
        try connection.withLock { connection in
            try connection.transaction {
                try connection.execute("DELETE FROM event; DELETE FROM value")
                let values = contents.values.mapValues(Optional.some)
                try Self.write(Change(events: Array(contents.events.values), values: values), to: connection)
                try connection.execute("DELETE FROM sqlite_sequence")
                let last = SQLiteValue.integer(contents.lastSequence)
                try connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?)", [last])
            }
        }
    }

    private static func write(_ change: Change, to connection: SQLiteConnection) throws {
        for sequence in change.removed {
            try connection.execute("DELETE FROM event WHERE sequence = ?", [.integer(sequence)])
        }
        for event in change.events {
            try connection.execute("INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", event.row)
        }
        for (key, value) in change.values {
            if let value {
                try connection.execute("INSERT OR REPLACE INTO value VALUES (?, ?)", [.text(key), .blob(value)])
            } else {
                try connection.execute("DELETE FROM value WHERE key = ?", [.text(key)])
            }
        }
    }

    /// Merges the write-ahead log into the file, while writers go on. Waits for the disk; throws `SQLiteError`.
    func checkpoint() throws {
        try checkpointer.withLock { checkpointer in
            try checkpointer.execute("PRAGMA wal_checkpoint(PASSIVE)")
            // SQLite begins the log anew once all of it is merged. If events are always written meanwhile, as on a slow
            // disk, that is never so, and the log would grow without limit. The rest is little: writers wait for it.
            guard let log = fileStatus(path + "-wal"), log.st_size > Self.longestLog else { return }
            _ = try connection.withLock { _ in try checkpointer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
    }

    /// Moves a damaged file to a name with the date; returns the new path.
    static func moveAside(path: String) throws -> String {
        let time = Date.now.formatted(.iso8601.timeSeparator(.omitted))
        let aside = "\(path).damaged-\(time)"
        for suffix in ["", "-wal"] where rename(path + suffix, aside + suffix) != 0 && errno != ENOENT {
            throw SystemError("move the damaged file to \(aside)", errno)
        }
        unlink(path + "-shm")
        return aside
    }
}

extension OutboxFile.Failure {
    init(_ error: any Error, path: String) {
        guard let error = error as? SQLiteError else {
            self = error as? Self ?? Self(description: "\(error)")
            return
        }
        switch error.primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: self.init(description: "another program uses it")
        // A damaged header can also make SQLite open a writable file as read-only.
        case SQLITE_READONLY where access(path, W_OK) == 0: self = .damaged(error.message)
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            self.init(description: "it cannot be written; check who may write there")
        case SQLITE_FULL: self.init(description: "the disk is full")
        case SQLITE_NOMEM: self.init(description: error.message)
        case SQLITE_IOERR: self.init(description: error.message, isDamage: error.code == sqlite_ioerr_short_read)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(error.message)
        default: self.init(description: error.message, isDamage: true)
        }
    }
}

extension StoredEvent {
    /// Reads an event from its row; throws `OutboxFile.Failure.damaged` for unexpected types or ranges.
    fileprivate init(_ cells: [SQLiteValue]) throws {
        let nanoseconds: ClosedRange<Int64> = 0...(1 << 62)
        guard cells.count == 9, case .integer(let sequence) = cells[0], OutboxFile.sequences.contains(sequence),
            case .integer(let wall) = cells[1], nanoseconds.contains(wall), case .integer(let uptime) = cells[2],
            nanoseconds.contains(uptime), case .text(let boot) = cells[3], case .text(let topic) = cells[4],
            !topic.isEmpty, case .blob(let payload) = cells[5], case .blob(let properties) = cells[7]
        else { throw OutboxFile.Failure.damaged("an event cannot be read") }
        var message = MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce)
        if case .text(let contentType) = cells[6] { message.contentType = contentType }
        // MQTT forbids U+0000 in its strings, which makes it a safe separator.
        let texts = String(decoding: properties, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: texts.count - 1, by: 2) {
            message.userProperties.append(.init(String(texts[index]), String(texts[index + 1])))
        }
        self.init(sequence: sequence, time: .init(wall: wall, uptime: uptime, boot: boot), message: message)
    }

    /// The values of the event's row, in the order of the table's columns.
    fileprivate var row: [SQLiteValue] {
        let properties = message.userProperties.flatMap { [$0.name, $0.value] }.joined(separator: "\0")
        return [
            .integer(sequence), .integer(time.wall), .integer(time.uptime), .text(time.boot), .text(message.topic),
            .blob(message.payload), message.contentType.map { .text($0) } ?? .null, .blob(Array(properties.utf8)),
            .null,
        ]
    }
}
