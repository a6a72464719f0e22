import FaceMessages
import Foundation
import MQTT
import Synchronization
import System
import TerminalPictures

/// Everything that a command reacts to, for one reader; ends when the subscriber or the terminal ends.
final class LiveInputs: AsyncSequence, Sendable {
    /// What waits, and what wakes the thread that waits for it.
    ///
    /// Apart from `LiveInputs`, so that the source that fills it does not keep that alive.
    private final class Inbox: Sendable {
        let wakeUps: AsyncStream<Void>
        private let waker: AsyncStream<Void>.Continuation
        private let backlog: Mutex<LiveBacklog>
        private let start = ContinuousClock.now

        init(capacity: Int) {
            (wakeUps, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            backlog = Mutex(LiveBacklog(capacity: capacity))
        }

        func put(_ content: LiveInput.Content) {
            // The time is taken under the lock: later in the backlog is never earlier on the clock.
            backlog.withLock { $0.put(LiveInput(content: content, seconds: start.duration(to: .now) / .seconds(1))) }
            waker.yield()
        }

        func take() -> LiveInput? { backlog.withLock { $0.take() } }

        func finish() {
            backlog.withLock { $0.isClosed = true }
            waker.finish()
        }

        var isEmpty: Bool { backlog.withLock(\.isEmpty) }

        var dropped: Int { backlog.withLock(\.dropped) }
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let inputs: LiveInputs
        fileprivate var wakeUps: AsyncStream<Void>.Iterator

        mutating func next() async -> LiveInput? {
            while true {
                if let input = inputs.inbox.take() { return input }
                guard await wakeUps.next(isolation: #isolation) != nil else { return inputs.inbox.take() }
            }
        }
    }

    private let subscriber: Subscriber?
    private let inbox: Inbox
    private let tasks: [Task<Void, Never>]
    private let interruption: Interruption?

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - subscriber: whose occurrences come.
    ///   - terminal: whose keys come.
    ///   - interval: how often a tick comes; nil for never.
    ///   - interruptible: whether SIGINT and SIGTERM come as `interrupted` instead of ending the program.
    init(
        _ subscriber: Subscriber?,
        _ terminal: Terminal? = nil,
        interval: Duration? = nil,
        interruptible: Bool = false
    ) {
        let inbox = Inbox(capacity: subscriber?.capacity ?? 1)
        var tasks: [Task<Void, Never>] = []
        if let subscriber {
            tasks.append(
                Task {
                    await subscriber.forward { inbox.put(.occurrence($0)) }
                    inbox.finish()
                }
            )
        }
        if let interval {
            tasks.append(Task { while (try? await Task.sleep(for: interval)) != nil { inbox.put(.tick) } })
        }
        if let terminal { Self.readKeys(of: terminal, into: inbox) }
        self.subscriber = subscriber
        self.inbox = inbox
        self.tasks = tasks
        interruption = interruptible ? Interruption { inbox.put(.interrupted) } : nil
    }

    deinit {
        for task in tasks { task.cancel() }
        interruption?.cancel()
        inbox.finish()
    }

    /// Whether the reader has taken all that came so far.
    var isEmpty: Bool { inbox.isEmpty }

    /// How many messages came too fast for the reader.
    var dropped: Int { inbox.dropped + (subscriber?.dropped ?? 0) }

    func makeAsyncIterator() -> Iterator { Iterator(inputs: self, wakeUps: inbox.wakeUps.makeAsyncIterator()) }

    /// Reading blocks; the thread ends with the program or the terminal.
    private static func readKeys(of terminal: Terminal, into inbox: Inbox) {
        // Without it, a signal still ends the command.
        _ = try? JoinableThread(named: "keys") {
            while let byte = terminal.nextByte() { inbox.put(.key(byte)) }
            inbox.finish()
        }
    }
}

extension Subscriber {
    /// Hands on what comes, and a tick every `interval`, until `take` says that it is over, or Ctrl-C or q on the terminal
    /// ends it; then ends the connection.
    ///
    /// - Parameters:
    ///   - terminal: whose keys come too; without one, changes of the connection are reported on standard error.
    ///   - interruptible: whether Ctrl-C ends it in good order, instead of ending the program.
    ///   - waitsForBroker: whether a broker that cannot be reached at first is waited for.
    ///   - take: takes an input; returns whether it goes on.
    /// - Throws: `CommandFailure` for what no retry can mend; what `take` throws.
    func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration,
        interruptible: Bool = true,
        waitsForBroker: Bool = true,
        _ take: (LiveInput) throws -> Bool
    ) async throws {
        var notices = Notices(address: address, waitsForBroker: waitsForBroker)
        loop: for await var input in LiveInputs(self, terminal, interval: interval, interruptible: interruptible) {
            switch input.content {
            case .occurrence(let occurrence):
                if let note = try notices.note(occurrence), terminal == nil { StandardOutput.note(note) }
            case .interrupted, .key(UInt8(ascii: "q")): break loop
            case .key, .tick: break
            }
            input.connection = notices.connection
            guard try take(input) else { break }
        }
        terminal?.release()
        await stop()
    }
}

extension Subscriber.Occurrence {
    /// The message that came, if it is one that can be read.
    var decoded: DecodedMessage? {
        if case .message(let message) = self, case .decoded(let decoded) = message.content { decoded } else { nil }
    }
}

extension CameraState {
    /// Takes over what is known of the camera after an occurrence: nothing while the connection is interrupted.
    mutating func take(_ occurrence: Subscriber.Occurrence) {
        if case .connection(let connection) = occurrence, connection.isInterrupted { _ = forget() }
        if let message = occurrence.decoded { _ = take(message) }
    }
}

/// SIGINT, SIGTERM and the terminal's hangup, noted and reported instead of ending the program; the second one ends it.
///
/// `@unchecked Sendable` because a dispatch source may be cancelled from any thread, and nothing else is done with them.
final class Interruption: @unchecked Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let sources: [any DispatchSourceSignal]
    private let raised: Flag

    /// Apart from `Interruption`, so that the sources do not keep that alive.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// Begins to listen for the signals.
    init(_ report: @escaping @Sendable () -> Void = {}) {
        let raised = Flag()
        self.raised = raised
        sources = Self.signals.compactMap { number in
            let before = signal(number, SIG_IGN)
            // Under nohup a hangup ends nothing.
            guard number != SIGHUP || unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
            else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                raised.isSet.store(true, ordering: .relaxed)
                report()
            }
            source.resume()
            return source
        }
    }

    var isRaised: Bool { raised.isSet.load(ordering: .relaxed) }

    /// Gives the signals their usual effect back.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
