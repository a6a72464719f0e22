import Synchronization

/// Writes every message to standard output as one line of JSON.
final class PrintSink: MessageSink {
    /// A pipe that has room has room for so much (POSIX's `PIPE_BUF` on Linux).
    private static let chunk = 4096
    /// How long a reader that does not read may hold things up once the daemon is to end, in milliseconds.
    private static let grace: Int32 = 200

    private struct State {
        var error: PrintError?
        var action: (@Sendable (PrintError) -> Void)?
        var isEnding = false
    }

    private let base: String
    private let descriptor: Int32
    private let isTerminal: Bool
    private let state = Mutex(State())

    init(base: String, descriptor: Int32 = STDOUT_FILENO) {
        self.base = base
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Calls `action` once, now or later, if nothing can be written any more.
    func onFailure(_ action: @escaping @Sendable (PrintError) -> Void) {
        let error = state.withLock { state in
            state.action = action
            return state.error
        }
        if let error { action(error) }
    }

    /// Writes a message; waits for a reader that is slow, as any program in a pipeline does.
    func send(_ message: Message) {
        guard state.withLock({ $0.error == nil }) else { return }
        let code = message.line(base: base).withUnsafeBytes {
            writeAll($0, to: descriptor, chunk: Self.chunk, waitForRoom: waitForRoom)
        }
        guard code != 0 else { return }
        // A terminal that was closed is a reader that went away.
        let error = PrintError(code: isTerminal && code == EIO ? EPIPE : code)
        let action = state.withLock { state in
            state.error = error
            return state.action
        }
        action?(error)
    }

    /// The daemon is to end: from now on a reader that does not read is not waited for.
    func beginEnding() { state.withLock { $0.isEnding = true } }

    /// False if there is none, and the daemon is to end.
    private func waitForRoom() -> Bool {
        var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&pipe, 1, Self.grace) == 0 {
            if state.withLock(\.isEnding) { return false }
        }
        return true
    }
}

/// The reason why messages cannot be printed any more.
struct PrintError: Error, Hashable, CustomStringConvertible {
    let code: Int32

    /// Whether the reader of a pipe went away, as `head` does, which is not an error.
    var isGoneReader: Bool { code == EPIPE }

    var description: String { "cannot write messages to standard output (--print): \(String(cString: strerror(code)))" }
}
