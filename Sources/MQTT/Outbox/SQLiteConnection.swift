import CSQLite

/// A connection to an SQLite file, for one thread at a time.
package final class SQLiteConnection {
    private var handle: OpaquePointer?

    /// Opens a file, or makes it; throws `SQLiteError`.
    package init(path: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        try check(sqlite3_open_v2(path.fileName, &handle, flags, nil))
    }

    deinit { close() }

    /// Closes the connection. A file's last connection also merges the write-ahead log into the file.
    package func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Runs the statements of `sql`, separated by semicolons, each with the same arguments for its question marks.
    /// Returns the rows of all statements. Throws `SQLiteError`.
    @discardableResult package func execute(_ sql: String, _ arguments: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        var rows: [[SQLiteValue]] = []
        try sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let start = rest, start.pointee != 0 {
                var statement: OpaquePointer?
                try check(sqlite3_prepare_v2(handle, start, -1, &statement, &rest))
                defer { sqlite3_finalize(statement) }
                // Trailing spaces compile to no statement.
                guard let statement else { continue }
                for (place, argument) in zip(Int32(1)..., arguments) {
                    try check(Self.bind(argument, to: place, of: statement))
                }
                var code = sqlite3_step(statement)
                while code == SQLITE_ROW {
                    rows.append((0..<sqlite3_column_count(statement)).map { Self.value(in: $0, of: statement) })
                    code = sqlite3_step(statement)
                }
                if code != SQLITE_DONE { try check(code) }
            }
        }
        return rows
    }

    /// Runs `body` in a transaction, committed if `body` returns and rolled back if it throws. Other writers are kept
    /// out from the start if `isWriting`, else from the first change. Throws the body's error or `SQLiteError`.
    @discardableResult
    package func transaction<Result>(isWriting: Bool = true, _ body: () throws -> Result) throws -> Result {
        try execute(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors, such as a full disk, SQLite has already rolled back.
            if sqlite3_get_autocommit(handle) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    private static func bind(_ value: SQLiteValue, to place: Int32, of statement: OpaquePointer) -> Int32 {
        // SQLite copies the bytes: they are gone before the statement runs.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return switch value {
        case .null: sqlite3_bind_null(statement, place)
        case .integer(let number): sqlite3_bind_int64(statement, place, number)
        case .real(let number): sqlite3_bind_double(statement, place, number)
        case .text(let text): sqlite3_bind_text(statement, place, text, -1, copied)
        // An empty array has no address, and SQLite would bind NULL.
        case .blob([]): sqlite3_bind_zeroblob(statement, place, 0)
        case .blob(let bytes): sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), copied)
        }
    }

    private static func value(in column: Int32, of statement: OpaquePointer) -> SQLiteValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: return sqlite3_column_text(statement, column).map { .text(String(cString: $0)) } ?? .null
        case SQLITE_BLOB:
            let bytes = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }
}

/// An error that SQLite reports.
package struct SQLiteError: Error {
    /// SQLite's extended result code.
    let code: Int32
    let message: String

    /// The result code without details, such as `SQLITE_IOERR`.
    var primaryCode: Int32 { code & 0xFF }
}

/// A value of a row, with the type that it has in the file, whatever the column's declared type.
package enum SQLiteValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}
