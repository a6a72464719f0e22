import GRDB

/// Changes a file of the outbox as no program of ours does.
enum SQLiteFile {
    static func execute(_ sql: String, on path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in try database.execute(sql: sql) }
        try queue.close()
    }
}
