import Foundation
import GRDB

/// The SQLite file of the outbox: its tables, and each thing one does with them as one transaction.
///
/// GRDB's queue makes it safe from any thread.
final class OutboxFile: Sendable {
    /// What the file holds when it is opened.
    struct Contents {
        var events: [StoredEvent]
        /// The highest number an event ever had, those done with included.
        var lastSequence: Int64
        var numbers: [String: Int64]
        var values: [String: [UInt8]]
    }

    /// Why a file is not used although SQLite would.
    enum Failure: Error, CustomStringConvertible {
        case newer(Int)
        case directory(String, Int32)

        var description: String {
            switch self {
            case .newer(let version): "it was made by a newer version of this program (schema \(version))"
            case .directory(let path, let code): "cannot make the directory \(path): \(String(cString: strerror(code)))"
            }
        }
    }

    private static let schemaVersion = 1

    private let queue: DatabaseQueue

    init(path: String, maximumPages: Int?) throws {
        try Self.makeDirectory(of: path)
        // Made by us, so that nobody else may read it; SQLite gives its companion files the same mode.
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        var configuration = Configuration()
        configuration.label = "outbox"
        configuration.prepareDatabase { database in
            // Exclusive: a second program with the same file would send our events too.
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            // Written to the kernel at once, to the disk by `checkpoint`: that survives any end of the program.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            if let maximumPages { try database.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write(Self.prepareSchema)
    }

    private static func makeDirectory(of path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var directory = path.hasPrefix("/") ? "" : "."
        for part in parts {
            directory += "/" + part
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Failure.directory(directory, errno) }
        }
    }

    private static func prepareSchema(_ database: Database) throws {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= schemaVersion else { throw Failure.newer(version) }
        guard version < schemaVersion else { return }
        // AUTOINCREMENT keeps the highest number ever used even when all events are gone.
        try database.execute(
            sql: """
                CREATE TABLE event (
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                    wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot TEXT NOT NULL,
                    topic TEXT NOT NULL, payload BLOB NOT NULL,
                    contentType TEXT, userProperties BLOB NOT NULL, expiry INTEGER
                );
                CREATE TABLE number (key TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE value (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                PRAGMA user_version = \(schemaVersion);
                """
        )
    }

    func read() throws -> Contents {
        try queue.read { database in
            // A damaged page may go unnoticed until much later, so all of this small file is looked at now.
            if let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), problem != "ok" {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
            }
            let events = try Row.fetchAll(database, sql: "SELECT * FROM event ORDER BY sequence").map(StoredEvent.init)
            let last = try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
            var contents = Contents(events: events, lastSequence: last, numbers: [:], values: [:])
            for row in try Row.fetchAll(database, sql: "SELECT key, number FROM number") {
                contents.numbers[row["key"]] = row["number"] as Int64
            }
            for row in try Row.fetchAll(database, sql: "SELECT key, value FROM value") {
                contents.values[row["key"]] = [UInt8](row["value"] as Data)
            }
            return contents
        }
    }

    func insert(_ event: StoredEvent, removing done: Set<Int64>) throws {
        try write(isSingle: done.isEmpty) { database in
            try Self.remove(done, from: database)
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            )
            try statement.execute(arguments: event.arguments)
        }
    }

    func remove(_ sequences: Set<Int64>) throws {
        try write(isSingle: sequences.count == 1) { database in try Self.remove(sequences, from: database) }
    }

    /// A single statement is a transaction by itself, which saves those that begin and end one.
    private func write(isSingle: Bool, _ body: (Database) throws -> Void) throws {
        if isSingle { try queue.writeWithoutTransaction(body) } else { try queue.write(body) }
    }

    private static func remove(_ sequences: Set<Int64>, from database: Database) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM event WHERE sequence = ?")
        for sequence in sequences { try statement.execute(arguments: [sequence]) }
    }

    func set(number: Int64, for key: String) throws {
        try queue.write { database in
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO number VALUES (?, ?)")
                .execute(arguments: [key, number])
        }
    }

    func set(_ value: [UInt8]?, for key: String) throws {
        try queue.write { database in
            guard let value else {
                return try database.execute(sql: "DELETE FROM value WHERE key = ?", arguments: [key])
            }
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO value VALUES (?, ?)")
                .execute(arguments: [key, Data(value)])
        }
    }

    func checkpoint() throws {
        _ = try queue.writeWithoutTransaction { database in try database.checkpoint(.truncate) }
    }

    /// An error in words a human can act on.
    static func explain(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: return "another program uses it; give each daemon its own outbox.path"
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            return "it cannot be written; check outbox.path and who may write there"
        case .SQLITE_FULL: return "the disk is full"
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return "it is damaged; move it away to start with an empty one"
        default: return error.message ?? "\(error.resultCode)"
        }
    }
}
