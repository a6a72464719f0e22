/// Reports the daemon's condition to the service manager, over the datagram socket that `sd_notify(3)` describes.
///
/// If the manager is gone or does not read, reports are lost without an error or a wait.
package struct ServiceManager: Sendable {
    /// How long the daemon may give no sign of life before the manager restarts it; nil without such a watchdog.
    let watchdogInterval: Duration?
    private let socketName: String

    /// Finds the manager that started this process; nil without one. `NOTIFY_SOCKET` is its socket's path or, after an
    /// `@`, its abstract name. `WATCHDOG_USEC`, in microseconds, applies only to process `WATCHDOG_PID` if that is set.
    init?(environment: [String: String], process: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
            withUnixAddress(name, { _, _ in }) != nil
        else { return nil }
        socketName = name
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        // No manager waits for more than a day, and far larger numbers are not usable as a time.
        watchdogInterval = isForUs && 1...86_400_000_000 ~= microseconds ? .microseconds(microseconds) : nil
    }

    /// Reports that the daemon has started up.
    func ready() { send("READY=1") }

    func stopping() { send("STOPPING=1") }

    func alive() { send("WATCHDOG=1") }

    /// Reports the text that `systemctl status` shows, as one line.
    func status(_ line: String) { send("STATUS=" + line.split(whereSeparator: \.isNewline).joined(separator: " ")) }

    private func send(_ text: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = withUnixAddress(socketName) { address, length in
            Array(text.utf8).withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, flags, address, length) }
        }
    }
}

/// Decides whether the session makes progress. Only then does the service manager get a sign of life.
///
/// Waiting for a camera is progress. A model or a driver call that never returns is not, and only a restart helps.
final class Watchdog: Sendable {
    private let interval: Duration
    private let logger: Logger
    private let isStuck = Mutex(false)

    init(interval: Duration, logger: Logger) { (self.interval, self.logger) = (interval, logger) }

    /// Whether the session has worked on its current frame for less than the interval. Logs once when it gets stuck.
    func isAlive(timeWithFrame time: Duration) -> Bool {
        let isNow = time >= interval
        let wasStuck = isStuck.withLock { exchange(&$0, with: isNow) }
        if isNow, !wasStuck {
            let consequence = "the service manager will restart facetd"
            logger.error("a frame is stuck in the analysis; \(consequence)", metadata: ["for": "\(time)"])
        }
        return !isNow
    }
}
