import Foundation
import Synchronization

/// Writes the log to standard error for people: time, level, message, then the metadata.
///
/// Under systemd the journal knows the time and wants the level as a number in front.
package struct ConsoleLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level

    private let isForJournal: Bool

    /// Makes a handler; the environment tells whether standard error goes to systemd's journal.
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

    /// The line for a log entry; the journal gets one without a time.
    static func line(level: Logger.Level, message: String, metadata: Logger.Metadata, time: Timestamp?) -> String {
        let particulars = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let text = particulars.isEmpty ? message : "\(message): \(particulars)"
        guard let time else { return "<\(level.priority)>\(text)\n" }
        return "\(time.iso8601) \(level.rawValue): \(text)\n"
    }
}

extension Logger.Level {
    /// The level as syslog numbers it.
    fileprivate var priority: Int {
        // From critical, 2, each level has the next number; syslog has none below debug, 7.
        min(7, 2 + Logger.Level.allCases.count { $0 > self })
    }
}

/// Admits one line a minute of each kind, for what others can cause at any rate.
final class LogLimiter: Sendable {
    /// The shortest time between two lines of a kind.
    static let interval = Duration.seconds(60)

    private let lines = Mutex<[String: (last: ContinuousClock.Instant, suppressed: Int)]>([:])

    /// The number of lines of a kind suppressed since the last one; nil if this one is to be suppressed too.
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
    /// Writes a warning unless the same message was written within a minute; names the number of those left out. The
    /// message must not contain text from outside, which belongs into the metadata.
    func warning(_ message: Message, limiter: LogLimiter, metadata: Metadata) {
        guard let suppressed = limiter.admit("\(message)") else { return }
        let count: Metadata = suppressed > 0 ? ["suppressed": "\(suppressed)"] : [:]
        warning(message, metadata: metadata.merging(count) { $1 })
    }
}
