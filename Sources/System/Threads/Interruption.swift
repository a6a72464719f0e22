import Dispatch

/// Catches SIGINT, SIGTERM and SIGHUP, and reports them, until a command has written its result. A second signal of the
/// same kind ends the program. One of another kind does not, because systemd ends a login session with SIGTERM and
/// SIGHUP at once.
///
/// `@unchecked Sendable` because any thread may cancel a dispatch source.
package final class Interruption: @unchecked Sendable {
    private let sources: [(source: any DispatchSourceSignal, usual: __sighandler_t?)]
    private let raised: Flag

    /// Holds the signal that came. It is an object of its own, so dispatch sources do not retain `Interruption`.
    private final class Flag: Sendable {
        let signal = Atomic<CInt>(0)
        let report = Mutex<@Sendable () -> Void> {}

        func raise(_ number: CInt) {
            signal.store(number, ordering: .relaxed)
            report.withLock(\.self)()
        }
    }

    package init() {
        let raised = Flag()
        self.raised = raised
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            // Under nohup, SIGHUP is ignored and must stay so.
            if number == SIGHUP, isIgnored(number) { return nil }
            let usual = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                raised.raise(number)
            }
            // Registration on Dispatch's thread changes the signal's effect, which must not happen after `cancel`.
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            registered.wait()
            return (source, usual)
        }
    }

    /// The number of the newest signal that came; 0 if none did.
    package var number: CInt { raised.signal.load(ordering: .relaxed) }
    package var isRaised: Bool { number != 0 }

    /// Calls `report` at each signal from now on, and at once if one came before. Replaces an earlier `report`.
    package func onSignal(_ report: @escaping @Sendable () -> Void) {
        raised.report.withLock { $0 = report }
        if isRaised { report() }
    }

    /// Acts as if the signal had come, which may be one that is not caught.
    package func raise(_ number: CInt) { raised.raise(number) }

    /// Stops catching the signals and restores their former handling.
    package func cancel() {
        for (source, usual) in sources {
            source.cancel()
            signal(CInt(source.handle), usual)
        }
    }
}

/// Ends the process by a signal, even if that was caught, ignored or blocked: the parent sees the usual reason.
package func endProcess(by number: CInt) -> Never {
    signal(number, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    exit(128 + number)
}

/// Whether the process ignores a signal.
package func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
