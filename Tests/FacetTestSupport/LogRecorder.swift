import Foundation
public import Logging
import Synchronization

/// Keeps what is logged.
public final class LogRecorder: Sendable {
    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            recorder.record("\(event.level): \(event.message) \(event.metadata ?? [:])")
        }
    }

    private let recorded = Mutex<[(line: String, thread: String)]>([])

    /// Makes a recorder of nothing.
    public init() {}

    /// What was logged, in order: level, message and metadata.
    public var lines: [String] { recorded.withLock { $0.map(\.line) } }

    /// The names of the threads that logged, in order.
    public var threads: [String] { recorded.withLock { $0.map(\.thread) } }

    /// A logger that leads here.
    public var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    private func record(_ line: String) {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        let thread = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        recorded.withLock { $0.append((line, thread)) }
    }
}
