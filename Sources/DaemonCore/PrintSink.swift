public import FaceMessages
import Glibc
import Synchronization

/// Writes every message to standard output as one line of JSON.
public final class PrintSink: MessageSink {
    private let base: String
    private let isOpen = Mutex(true)
    private let onClose: @Sendable () -> Void

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - base: What all topics begin with.
    ///   - onClose: Called once if the reader of the pipe went away.
    public init(base: String, onClose: @escaping @Sendable () -> Void) {
        self.base = base
        self.onClose = onClose
    }

    /// Writes a message.
    public func send(_ message: Message) {
        let line = message.line(base: base)
        let hasClosed = isOpen.withLock { isOpen in
            guard isOpen else { return false }
            isOpen = Self.write(line)
            return !isOpen
        }
        if hasClosed { onClose() }
    }

    /// Writes it all; false if nobody reads any more.
    private static func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Somebody made the pipe non-blocking, and its reader is slower than we are.
                var pipe = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&pipe, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
