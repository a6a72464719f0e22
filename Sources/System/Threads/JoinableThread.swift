import CLinux

/// A thread that can be joined. Joining waits until the thread is completely gone, and not only its work is done.
///
/// Libraries clean up when a thread ends, and again when the process exits. Joining before the exit keeps the two
/// apart. A thread that is not joined ends by itself. Threads of this class block signals, so that others get them.
package final class JoinableThread: Sendable {
    private final class Work {
        let run: () -> Void

        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// The thread's handle; nil once it was joined.
    private let thread: Mutex<pthread_t?>

    /// Starts a thread that runs `body`. Tools like `top` show the first 15 bytes of the thread's name.
    /// - Throws: `SystemError` if the system cannot start another thread.
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

    /// Blocks until the thread is gone. Returns at once if it was joined before, or if the thread itself calls this, as
    /// when it releases the last reference to its owner.
    package func join() {
        guard let thread = thread.withLock({ exchange(&$0, with: nil) }) else { return }
        if pthread_equal(thread, pthread_self()) != 0 { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    /// Blocks all signals except those of a crash, whose handler prints where it happened.
    ///
    /// OpenSSL writes to sockets without `MSG_NOSIGNAL`. A peer that hangs up must not end the process by SIGPIPE.
    private static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for crash in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&signals, crash) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Runs `body`, which may block, on a new thread, and awaits its result without blocking the calling thread.
/// - Throws: What `body` throws, or `failure` if the system cannot start another thread.
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

/// Runs `body`, which may block, on a new thread, and awaits its result.
/// - Throws: What `body` throws, or `SystemError` if the system cannot start another thread.
package func onThread<Value: Sendable>(
    named name: String,
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await onThread(named: name, orThrow: { $0 as any Error }, body)
}
