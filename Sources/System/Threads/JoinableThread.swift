import CLinux
import Synchronization

/// A thread that can be joined: the wait is over when nothing of the thread is left, not only its work is done.
///
/// Libraries tidy up after a thread when it ends. A process that exits meanwhile tidies up the same things.
/// Where it is not waited for, it ends by itself. The program's other threads take its signals.
package final class JoinableThread: Sendable {
    private final class Work {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// The thread; nil once it was joined.
    private let thread: Mutex<pthread_t?>

    /// Starts a thread that runs `body`. Tools like `top` show its name, of 15 bytes at most.
    /// - Throws: `SystemError` if the system has no thread left.
    package init(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = Work {
            Self.blockSignals()
            thread_name_set(name)
            body()
        }
        let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }
        let context = Unmanaged.passRetained(work)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, begin, context.toOpaque())
        guard code == 0 else {
            context.release()
            let remedy = "raise the limit of processes (`ulimit -u`, TasksMax)"
            throw SystemError("start the thread `\(name)`", code, remedy: remedy)
        }
        self.thread = Mutex(thread)
    }

    deinit {
        if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Blocks until the thread is gone; returns at once if it was joined before, or for the thread itself, which may
    /// release the last reference to its owner.
    package func join() {
        guard let thread = thread.withLock({ exchange(&$0, with: nil) }) else { return }
        if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    /// Blocks all signals except those of a crash, whose handler prints where it happened.
    ///
    /// OpenSSL writes to sockets without `MSG_NOSIGNAL`: a peer that hangs up must be an error, not a SIGPIPE that ends
    /// the process.
    private static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for crash in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, crash) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Runs `body`, which may block, on a new thread of that name, and waits for its result without blocking a shared one.
/// - Throws: What `body` throws, or `failure` if the system has no thread left.
package func onThread<Value: Sendable, Failure: Error>(
    named name: String,
    orThrow failure: (SystemError) -> Failure,
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    var thread: JoinableThread?
    defer { thread?.join() }
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        do throws(SystemError) {
            thread = try JoinableThread(named: name) {
                continuation.resume(returning: Result { () throws(Failure) in try body() })
            }
        } catch {
            continuation.resume(returning: .failure(failure(error)))
        }
    }
    return try result.get()
}

/// Runs `body`, which may block, on a new thread.
/// - Throws: What `body` throws, or `SystemError`.
package func onThread<Value: Sendable>(
    named name: String,
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await onThread(named: name, orThrow: { $0 as any Error }, body)
}
