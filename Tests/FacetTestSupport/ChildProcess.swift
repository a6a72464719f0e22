import Foundation
import Synchronization

/// A program started by a test, which never outlives it.
///
/// A shell stands between the two: it runs the program, and kills it as soon as its own input ends, which happens when
/// this value goes, and also when the whole test process dies.
public final class ChildProcess: Sendable {
    /// Why a program could not be used.
    public enum Failure: Error, CustomStringConvertible {
        /// It ended before it said what was waited for; what it wrote.
        case ended(String)

        /// What it wrote.
        public var description: String {
            switch self {
            case .ended(let output): "the program ended early; it wrote:\n\(output)"
            }
        }
    }

    private struct State {
        var output = ""
        var hasEnded = false
        var exitStatus: Int?
        var waiters: [(isMet: @Sendable (String) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    /// Ends when the shell has ended, and with it the program.
    private let shell: Process
    private let leash = Pipe()
    private let state = Mutex(State())
    /// The program's own process.
    public let identifier: Int32

    /// Starts a program; its output and errors are kept.
    public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) async throws {
        shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        // The program itself gets no input, the shell reads on the leash.
        let script = """
            exec 3<&0
            "$@" </dev/null 3<&- & child=$!
            echo "child $child"
            { cat <&3 >/dev/null; kill -9 $child; } 2>/dev/null & watcher=$!
            wait $child; status=$?
            echo "status $status"
            kill $watcher 2>/dev/null
            exit 0
            """
        shell.arguments = ["-c", script, "sh", executable] + arguments
        shell.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        shell.standardInput = leash.fileHandleForReading
        let output = Pipe()
        shell.standardOutput = output.fileHandleForWriting
        shell.standardError = output.fileHandleForWriting
        let lines = Self.lines(of: output.fileHandleForReading)
        try await Self.launch(shell)
        try? output.fileHandleForWriting.close()
        try? leash.fileHandleForReading.close()
        var iterator = lines.makeAsyncIterator()
        var early = ""
        var child: Int32?
        // The program may be faster than the shell.
        while child == nil, let line = await iterator.next() {
            child = line.hasPrefix("child ") ? Int32(line.dropFirst(6)) : nil
            if child == nil { early += line + "\n" }
        }
        guard let child else { throw Failure.ended(early) }
        identifier = child
        state.withLock { $0.output = early }
        collect(lines)
    }

    deinit {
        end()
    }

    /// Everything the program wrote so far, its errors included.
    public var output: String { state.withLock(\.output) }

    /// What the program ended with; 128 and the signal's number if a signal ended it, nil while it runs.
    public var exitStatus: Int? { state.withLock(\.exitStatus) }

    /// Whether the program is still there.
    public var isRunning: Bool { state.withLock { !$0.hasEnded } }

    /// Waits until the program has written `text`.
    ///
    /// - Throws: `Failure.ended` if it ends first.
    public func waitForOutput(_ text: String) async throws {
        try await waitForOutput { $0.contains(text) }
    }

    /// Waits until the output meets a condition. A test whose time is up kills the program, rather than wait forever.
    ///
    /// - Throws: `Failure.ended` if the program ends before.
    public func waitForOutput(_ isMet: @escaping @Sendable (String) -> Bool) async throws {
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if isMet(state.output) { return true }
                    if state.hasEnded { return false }
                    state.waiters.append((isMet, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end()
        }
        guard isThere else { throw Failure.ended(output) }
    }

    /// Waits until the program has ended, whatever ended it.
    public func waitUntilEnded() async {
        // Never written, so the wait ends with the program.
        try? await waitForOutput("\u{0}")
    }

    /// Sends the program a signal.
    public func signal(_ number: Int32) {
        guard isRunning else { return }
        kill(identifier, number)
    }

    /// Kills the program, and whatever became of it, does not wait.
    public func end() {
        try? leash.fileHandleForWriting.close()
    }

    /// Starts a process from a thread that blocks no signal.
    ///
    /// The threads of Swift's tasks block most, and a process inherits that: the shell would miss its child's end, and
    /// the program would be deaf to SIGTERM.
    private static func launch(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread {
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                continuation.resume(with: Result { try process.run() })
            }.start()
        }
    }

    private func collect(_ lines: AsyncStream<String>) {
        Task { [weak self] in
            for await line in lines {
                guard let self else { return }
                if line.hasPrefix("status ") {
                    self.state.withLock { $0.exitStatus = Int(line.dropFirst(7)) }
                    break
                }
                self.append(line)
            }
            self?.ended()
        }
    }

    private func append(_ line: String) {
        let ready = state.withLock { state in
            state.output += line + "\n"
            let output = state.output
            let ready = state.waiters.filter { $0.isMet(output) }
            if !ready.isEmpty { state.waiters.removeAll { $0.isMet(output) } }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume(returning: true) }
    }

    private func ended() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// The lines that come out of a pipe, read on a thread of their own.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let thread = Thread {
            var rest: [UInt8] = []
            // `FileHandle` would wait until the buffer is full.
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = read(handle.fileDescriptor, &buffer, buffer.count), count > 0 {
                rest += buffer.prefix(count)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }
        thread.start()
        return stream
    }
}
