import Synchronization

/// Reports the daemon's condition to the service manager, over the datagram socket that `sd_notify(3)` describes.
///
/// A manager that is gone, or does not read, is no reason to stop watching faces: nothing is thrown, nothing waits.
package struct ServiceManager: Sendable {
    /// Time without a sign of life after which the manager restarts the daemon; nil if the manager does not watch it.
    let watchdogInterval: Duration?
    private let socketName: String

    /// Finds the manager that started this process; nil if none did. `NOTIFY_SOCKET` is a path or, after an `@`, a name
    /// in the abstract namespace; `WATCHDOG_USEC` is the interval in microseconds, for process `WATCHDOG_PID` if set.
    init?(environment: [String: String], process: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
            withUnixAddress(name, { _, _ in }) != nil
        else { return nil }
        socketName = name
        let isForUs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        // A day is more than any manager waits, and what is far beyond is no time that can be waited for.
        watchdogInterval = isForUs && 1...86_400_000_000 ~= microseconds ? .microseconds(microseconds) : nil
    }

    /// Reports that the daemon does its work now.
    func ready() { send("READY=1") }

    func stopping() { send("STOPPING=1") }

    func alive() { send("WATCHDOG=1") }

    /// Reports one line for people, which `systemctl status` shows.
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

/// Decides whether the session makes progress, in which case the service manager gets a sign of life.
///
/// Waiting for a camera is progress. A model or a driver's buffer that never comes back is not: only a restart helps.
final class Watchdog: Sendable {
    private let interval: Duration
    private let logger: Logger
    private let isStuck = Mutex(false)

    init(interval: Duration, logger: Logger) { (self.interval, self.logger) = (interval, logger) }

    /// Whether to give a sign of life; logs the first time that the newest frame has been worked on for too long.
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
