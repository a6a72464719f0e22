import GRDB

/// What a newer program would leave behind.
enum SQLiteFile {
    static func setVersion(_ version: Int, of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in try database.execute(sql: "PRAGMA user_version = \(version)") }
        try queue.close()
    }
}
