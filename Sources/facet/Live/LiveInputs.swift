import FaceMessages
import Foundation
import MQTT
import Synchronization
import System
import TerminalPictures

/// What waits for a command that follows a camera, from threads and tasks that do not wait for it.
final class LiveInputs: Sendable {
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let backlog: Mutex<LiveBacklog>
    private let subscriber: Subscriber?
    private let start = ContinuousClock.now

    private init(_ subscriber: Subscriber?) {
        self.subscriber = subscriber
        (wakeUps, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        backlog = Mutex(LiveBacklog(capacity: subscriber?.capacity ?? 1))
    }

    /// Hands on what comes, until `take` says that it is over, or the subscriber or the terminal ends.
    ///
    /// - Parameters:
    ///   - subscriber: whose occurrences come.
    ///   - terminal: whose keys come.
    ///   - interval: how often a tick comes; nil for never.
    ///   - interruptible: whether SIGINT and SIGTERM come as `interrupted` instead of ending the program.
    ///   - take: takes an input; returns whether it goes on.
    static func follow(
        _ subscriber: Subscriber?,
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = false,
        _ take: (LiveInput, LiveInputs) throws -> Bool
    ) async rethrows {
        let inputs = LiveInputs(subscriber)
        let forwarding = Task {
            guard let subscriber else { return }
            await subscriber.forward { inputs.put(.occurrence($0)) }
            inputs.finish()
        }
        let ticking = Task {
            guard let interval else { return }
            while (try? await Task.sleep(for: interval)) != nil { inputs.put(.tick) }
        }
        // Reading blocks; the thread ends with the program or the terminal. Without it, a signal still ends the command.
        _ = try? terminal.map { terminal in
            try JoinableThread(named: "keys") {
                while let byte = terminal.nextByte() { inputs.put(.key(byte)) }
                inputs.finish()
            }
        }
        let interruption = interruptible ? Interruption { inputs.put(.interrupted) } : nil
        defer {
            forwarding.cancel()
            ticking.cancel()
            interruption?.cancel()
            inputs.finish()
        }
        while let input = await inputs.next(), try take(input, inputs) {}
    }

    /// Whether all that came so far was taken.
    var isEmpty: Bool { backlog.withLock(\.isEmpty) }

    var dropped: Int { backlog.withLock(\.dropped) + (subscriber?.dropped ?? 0) }

    private func put(_ content: LiveInput.Content) {
        // The time is taken under the lock: later in the backlog is never earlier on the clock.
        backlog.withLock { $0.put(LiveInput(content: content, seconds: start.duration(to: .now) / .seconds(1))) }
        waker.yield()
    }

    private func finish() {
        backlog.withLock { $0.isClosed = true }
        waker.finish()
    }

    private func next() async -> LiveInput? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let input = backlog.withLock({ $0.take() }) { return input }
            guard await wakeUps.next(isolation: #isolation) != nil else { return backlog.withLock { $0.take() } }
        }
    }
}

extension Subscriber {
    /// Hands on what comes, and ticks, until `take` says that it is over, or Ctrl-C or q on the terminal ends it; then ends
    /// the connection.
    ///
    /// - Parameters:
    ///   - terminal: whose keys come too; without one, changes of the connection are reported on standard error.
    ///   - interval: how often a tick comes.
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
        try await LiveInputs.follow(self, terminal, every: interval, interruptible: interruptible) { input, _ in
            switch input.content {
            case .occurrence(let occurrence):
                if let note = try notices.note(occurrence), terminal == nil { StandardOutput.note(note) }
            case .interrupted, .key(UInt8(ascii: "q")): return false
            case .key, .tick: break
            }
            var input = input
            input.connection = notices.connection
            return try take(input)
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
