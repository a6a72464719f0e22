import Foundation
import TerminalPictures

/// What a command that follows a daemon reacts to.
enum LiveInput: Sendable {
    /// Something happened on the connection to the broker.
    case occurrence(Subscriber.Occurrence)
    /// A key was pressed.
    case key(UInt8)
    /// Some time has passed.
    case tick
    /// Somebody wants the command to end in good order.
    case interrupted

    /// Everything in one stream, which ends when the subscriber or the terminal ends.
    ///
    /// - Parameters:
    ///   - subscriber: whose occurrences come.
    ///   - terminal: whose keys come.
    ///   - interval: how often a tick comes.
    ///   - interruptible: whether SIGINT and SIGTERM come as `interrupted` instead of ending the program.
    /// - Returns: the stream, for one reader.
    static func all(
        _ subscriber: Subscriber?,
        _ terminal: Terminal? = nil,
        interval: Duration,
        interruptible: Bool = false
    ) -> AsyncStream<LiveInput> {
        let (stream, continuation) = AsyncStream.makeStream(of: LiveInput.self)
        let messages = Task {
            guard let subscriber else { return }
            for await occurrence in subscriber.occurrences() { continuation.yield(.occurrence(occurrence)) }
            continuation.finish()
        }
        let ticks = Task {
            while (try? await Task.sleep(for: interval)) != nil { continuation.yield(.tick) }
        }
        let signals = interruptible ? Interruption { continuation.yield(.interrupted) } : nil
        if let terminal { readKeys(of: terminal, continuation) }
        continuation.onTermination = { _ in
            messages.cancel()
            ticks.cancel()
            signals?.cancel()
        }
        return stream
    }

    /// Reading blocks; the thread ends with the program or the terminal.
    private static func readKeys(of terminal: Terminal, _ continuation: AsyncStream<LiveInput>.Continuation) {
        let thread = Thread {
            while let byte = terminal.nextByte() { continuation.yield(.key(byte)) }
            continuation.finish()
        }
        thread.name = "keys"
        thread.start()
    }
}

/// SIGINT and SIGTERM, told instead of ending the program; the second one ends it all the same.
///
/// `@unchecked Sendable` because a dispatch source may be cancelled from any thread, and nothing else is done with them.
final class Interruption: @unchecked Sendable {
    private static let signals = [SIGINT, SIGTERM]

    private let sources: [any DispatchSourceSignal]

    /// Begins to tell.
    init(_ tell: @escaping @Sendable () -> Void) {
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                tell()
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
