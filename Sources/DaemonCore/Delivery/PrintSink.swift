/// Writes every message to standard output as one line of JSON.
final class PrintSink: MessageSink {
    /// The number of bytes written at a time: a pipe that polls as writable takes this much (`PIPE_BUF` on Linux).
    private static let chunk = 4096
    /// How long a write waits for a pipe's reader before it checks whether the daemon is ending, in milliseconds.
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

    /// Calls `action` once when standard output can no longer be written, or at once if that has happened already.
    func onFailure(_ action: @escaping @Sendable (PrintError) -> Void) {
        let error = state.withLock { state in
            state.action = action
            return state.error
        }
        if let error { action(error) }
    }

    /// Writes a message. Blocks while the pipe's reader is slow.
    func send(_ message: Message) {
        guard state.withLock({ $0.error == nil }) else { return }
        let code = message.line(base: base).withUnsafeBytes {
            writeAll($0, to: descriptor, chunk: Self.chunk, waitForRoom: waitForRoom)
        }
        guard code != 0 else { return }
        // A closed terminal counts as a reader that has gone away.
        let error = PrintError(code: isTerminal && code == EIO ? EPIPE : code)
        let action = state.withLock { state in
            state.error = error
            return state.action
        }
        action?(error)
    }

    /// Notes that the daemon is ending, after which `send` gives up on a reader that does not read.
    func beginEnding() { state.withLock { $0.isEnding = true } }

    /// Waits until the pipe takes more bytes. Returns false if it takes none and the daemon is ending.
    private func waitForRoom() -> Bool {
        var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&pipe, 1, Self.grace) == 0 {
            if state.withLock(\.isEnding) { return false }
        }
        return true
    }
}

/// The reason why messages can no longer be printed.
struct PrintError: Error, Hashable, CustomStringConvertible {
    let code: Int32

    /// Whether the pipe's reader has gone away, as `head` does when it has enough. That is not a failure.
    var isGoneReader: Bool { code == EPIPE }

    var description: String { "cannot write messages to standard output (--print): \(String(cString: strerror(code)))" }
}
