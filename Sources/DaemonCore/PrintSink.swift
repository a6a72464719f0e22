package import FaceMessages
import Glibc
import Synchronization

/// Writes every message to standard output as one line of JSON.
package final class PrintSink: MessageSink {
    /// A pipe that has room has room for so much (POSIX's `PIPE_BUF` on Linux).
    private static let chunk = 4096
    /// How long a reader that does not read may hold things up once the daemon is to end, in milliseconds.
    private static let grace: Int32 = 200

    private let base: String
    private let descriptor: Int32
    private let isHurried = Mutex(false)
    private let isOpen = Mutex(true)
    private let onClose: @Sendable () -> Void

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - base: What all topics begin with.
    ///   - descriptor: Where to write; standard output unless a test has a pipe of its own.
    ///   - onClose: Called once if the reader of the pipe went away.
    package init(base: String, descriptor: Int32 = STDOUT_FILENO, onClose: @escaping @Sendable () -> Void) {
        self.base = base
        self.descriptor = descriptor
        self.onClose = onClose
    }

    /// Writes a message; waits for a reader that is slow, as any program in a pipeline does.
    package func send(_ message: Message) {
        let line = message.line(base: base)
        let hasClosed = isOpen.withLock { isOpen in
            guard isOpen else { return false }
            isOpen = write(line)
            return !isOpen
        }
        if hasClosed { onClose() }
    }

    /// From now on a reader that does not read is given up, for the daemon is to end.
    func hurry() {
        isHurried.withLock { $0 = true }
    }

    /// Writes it all; false if nobody reads any more.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard waitForRoom() else { return false }
            let written = rest.prefix(Self.chunk).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR, errno != EAGAIN {
                return false
            }
        }
        return true
    }

    /// False if there is none, and the daemon is to end.
    private func waitForRoom() -> Bool {
        var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&pipe, 1, Self.grace) == 0 {
            if isHurried.withLock(\.self) { return false }
        }
        return true
    }
}
