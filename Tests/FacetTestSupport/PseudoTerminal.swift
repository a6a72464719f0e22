import Foundation
import Synchronization

/// A terminal for a program that a test starts: what the program writes can be read, and keys be pressed.
///
/// Nothing is read before `startReading`: until then it is a terminal whose user has stopped the output.
public final class PseudoTerminal: Sendable {
    private struct State {
        var output = ""
        var isOver = false
        var waiters: [(isMet: @Sendable (String) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    /// TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>: macros, as unlockpt and ptsname are, that Swift cannot see.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// The terminal's name, to be opened by a program.
    public let path: String

    private let controller: FileHandle
    /// Held open, so that the terminal is not gone before a program has opened it.
    private let terminal: FileHandle
    private let state = Mutex(State())

    /// Opens a terminal of a size.
    public init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
        controller = FileHandle(
            fileDescriptor: try Self.check(open("/dev/ptmx", O_RDWR | O_NOCTTY | Int32(O_CLOEXEC))),
            closeOnDealloc: true
        )
        let descriptor = controller.fileDescriptor
        var isLocked: Int32 = 0
        var number: Int32 = 0
        _ = try Self.check(ioctl(descriptor, Self.setLock, &isLocked))
        _ = try Self.check(ioctl(descriptor, Self.getNumber, &number))
        path = "/dev/pts/\(number)"
        terminal = FileHandle(
            fileDescriptor: try Self.check(open(path, O_RDWR | O_NOCTTY | Int32(O_CLOEXEC))),
            closeOnDealloc: true
        )
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = try Self.check(ioctl(terminal.fileDescriptor, UInt(TIOCSWINSZ), &size))
    }

    /// Starts a program whose input and output are this terminal; its errors are the process's output.
    public func start(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$@\" <\"$0\" >\"$0\"", path, executable] + arguments,
            environment: environment
        )
    }

    /// The terminal's settings, byte by byte.
    public var settings: [UInt8] {
        get throws {
            var settings = termios()
            _ = try Self.check(tcgetattr(terminal.fileDescriptor, &settings))
            return withUnsafeBytes(of: settings) { Array($0) }
        }
    }

    /// Presses keys.
    public func press(_ keys: String) throws {
        try controller.write(contentsOf: Data(keys.utf8))
    }

    /// Begins to read what the program writes.
    public func startReading() {
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            // A byte may be the first of a character of several; those count as unknown ones, which no test looks for.
            while case let count = read(controller.fileDescriptor, &buffer, buffer.count), count > 0 {
                change { $0.output += String(decoding: buffer.prefix(count), as: UTF8.self) }
            }
            change { $0.isOver = true }
        }
        thread.start()
    }

    /// Waits until what the program wrote so far meets a condition.
    ///
    /// - Returns: false if it never will: `finish` was called, or the test's time is up.
    @discardableResult
    public func waitForOutput(_ isMet: @escaping @Sendable (String) -> Bool) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters.append((isMet, continuation)) }
                change { _ in }
            }
        } onCancel: {
            change { $0.isOver = true }
        }
    }

    /// Closes the terminal's window, as a user does.
    public func hangUp() throws {
        try controller.close()
    }

    /// Takes the terminal away once no program has it any more.
    ///
    /// - Returns: everything that was written to it.
    public func finish() async -> String {
        try? terminal.close()
        await waitForOutput { _ in false }
        return state.withLock(\.output)
    }

    private func change(_ body: (inout State) -> Void) {
        let answers = state.withLock { state in
            body(&state)
            var answers: [(CheckedContinuation<Bool, Never>, Bool)] = []
            let waiters = state.waiters
            state.waiters = []
            for waiter in waiters {
                let isMet = waiter.isMet(state.output)
                if isMet || state.isOver {
                    answers.append((waiter.continuation, isMet))
                } else {
                    state.waiters.append(waiter)
                }
            }
            return answers
        }
        for (continuation, answer) in answers { continuation.resume(returning: answer) }
    }

    private static func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return result
    }
}
