import MQTT

/// Changes a file of the outbox as no program of ours does.
enum SQLiteFile {
    static func execute(_ sql: String, on path: String) throws { try SQLiteConnection(path: path).execute(sql) }
}
