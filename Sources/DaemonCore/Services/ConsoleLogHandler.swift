import Foundation

/// Writes the log to standard error as readable lines: time, level, message, then the metadata. In systemd's journal,
/// which adds the time itself, a line begins with the level's syslog number instead.
package struct ConsoleLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level

    private let isForJournal: Bool

    /// Makes a handler. `JOURNAL_STREAM` in the environment tells that standard error goes to systemd's journal.
    package init(level: Logger.Level, environment: [String: String]) {
        logLevel = level
        isForJournal = environment["JOURNAL_STREAM"] != nil
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let time = isForJournal ? nil : Timestamp.wallClock()
        let line = Self.line(level: event.level, message: event.message.description, metadata: all, time: time)
        try? FileHandle.standardError.write(contentsOf: Data(line.withoutSecrets.utf8))
    }

    /// Returns the one line for a log entry, in the journal's form if `time` is nil. Text from outside, such as a
    /// zone's name in a command, cannot begin a line of its own or control a terminal.
    static func line(level: Logger.Level, message: String, metadata: Logger.Metadata, time: Timestamp?) -> String {
        let particulars = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let text = (particulars.isEmpty ? message : "\(message): \(particulars)").printable
        guard let time else { return "<\(level.priority)>\(text)\n" }
        return "\(time.iso8601) \(level.rawValue): \(text)\n"
    }
}

extension Logger.Level {
    /// The level's syslog number, from 2 (critical) to 7 (debug).
    fileprivate var priority: Int {
        // Each level below critical, 2, has the next number. Syslog has no level below debug, 7.
        min(7, 2 + Logger.Level.allCases.count { $0 > self })
    }
}

/// Limits the log to one line of each kind per minute, for kinds that could flood it, such as refused commands.
final class LogLimiter: Sendable {
    /// The minimum time between two lines of the same kind.
    static let interval = Duration.seconds(60)

    private let lines = Mutex<[String: (last: ContinuousClock.Instant, suppressed: Int)]>([:])

    /// Returns how many lines of this kind were suppressed since the last written one; nil to suppress this line too.
    func admit(_ kind: String, now: ContinuousClock.Instant = .now) -> Int? {
        lines.withLock { lines in
            if let line = lines[kind], now - line.last < Self.interval {
                lines[kind] = (line.last, line.suppressed + 1)
                return nil
            }
            defer { lines[kind] = (now, 0) }
            return lines[kind]?.suppressed ?? 0
        }
    }
}

extension Logger {
    /// Writes a warning unless the same message was written within the last minute, and adds the number of suppressed
    /// ones. Text from outside belongs in the metadata, not in the message.
    func warning(_ message: Message, limiter: LogLimiter, metadata: Metadata) {
        guard let suppressed = limiter.admit("\(message)") else { return }
        let count: Metadata = suppressed > 0 ? ["suppressed": "\(suppressed)"] : [:]
        warning(message, metadata: metadata.merging(count) { $1 })
    }
}
