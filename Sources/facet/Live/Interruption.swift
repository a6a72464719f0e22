import Foundation

/// SIGINT and SIGTERM, reported instead of ending the program; the second one ends it.
///
/// `@unchecked Sendable` because a dispatch source may be cancelled from any thread, and nothing else is done with them.
final class Interruption: @unchecked Sendable {
    private static let signals = [SIGINT, SIGTERM]

    private let sources: [any DispatchSourceSignal]

    /// Begins to report.
    init(_ report: @escaping @Sendable () -> Void) {
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                report()
            }
            source.resume()
            return source
        }
    }

    /// Gives the signals their usual effect back.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
