import FaceMessages
import Foundation
import Synchronization
import System
import TerminalPictures

/// What a command that follows a daemon reacts to, and since when it has waited.
struct LiveInput: Sendable {
    enum Content: Sendable {
        case occurrence(Subscriber.Occurrence)
        case key(UInt8)
        case tick
        /// A signal: the command is to end in good order.
        case interrupted
    }

    var content: Content
    /// When it came, in seconds since the command began to listen: however long it had to wait for its reader.
    var seconds: Double
    /// How the connection is, in words.
    var connection = ""
    /// What there is to say to the person at the terminal.
    var note: String?
    /// Whether nothing waited behind it.
    var isLast = false
    /// How many messages were dropped so far.
    var dropped = 0
}

/// The inputs that wait for a command that may be slower than they come, in order.
///
/// Of the messages only the newest are kept, and of frames even fewer, so that a command that is held up needs no more
/// and more memory; keys, signals and changes of the connection always are. A tick waits at most once: a late one says as much as several.
struct LiveBacklog {
    /// Messages, frames and bytes of messages; a tick.
    typealias Amounts = SIMD4<Int>

    private(set) var dropped = 0

    /// Whether nothing is added any more.
    var isClosed = false

    /// As many messages as the command wants. Half a second of frames: of 1080p they are 50 MB. The messages of a hostile
    /// publisher are large.
    private let most: Amounts
    private var waiting: [LiveInput] = []
    private var amounts = Amounts.zero

    /// Makes a backlog in which so many messages may wait.
    init(capacity: Int) {
        most = [max(1, capacity), 16, 32 << 20, 1]
    }

    mutating func put(_ input: LiveInput) {
        let new = input.amounts
        guard !isClosed, new[3] + amounts[3] <= 1 else { return }
        // One that is larger than all may be waits alone.
        while let kind = new.indices.first(where: { new[$0] > 0 && amounts[$0] > 0 && amounts[$0] + new[$0] > most[$0] }
        ),
            let oldest = waiting.firstIndex(where: { $0.amounts[kind] > 0 })
        {
            amounts &-= waiting.remove(at: oldest).amounts
            dropped += 1
        }
        waiting.append(input)
        amounts &+= new
    }

    mutating func take() -> LiveInput? {
        guard !waiting.isEmpty else { return nil }
        var input = waiting.removeFirst()
        amounts &-= input.amounts
        (input.isLast, input.dropped) = (waiting.isEmpty, dropped)
        return input
    }
}

extension LiveInput {
    /// What it takes of the backlog.
    fileprivate var amounts: LiveBacklog.Amounts {
        switch content {
        case .occurrence(.message(let message)):
            if case .picture(let picture) = message.content, case .frame = picture.content { return [1, 1, 0, 0] }
            return [1, 0, message.payload.count, 0]
        case .tick: return [0, 0, 0, 1]
        case .occurrence, .key, .interrupted: return .zero
        }
    }
}

/// What waits for a command that follows a camera, from threads and tasks that do not wait for it.
private final class LiveInputs: Sendable {
    private let wakeUps: AsyncStream<Void>
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

    func finish() {
        backlog.withLock { $0.isClosed = true }
        waker.finish()
    }

    func next() async -> LiveInput? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let input = backlog.withLock({ $0.take() }) { return input }
            guard await wakeUps.next(isolation: #isolation) != nil else { return backlog.withLock { $0.take() } }
        }
    }
}

extension Subscriber {
    /// Hands on what comes, and ticks, until `take` says that it is over, or Ctrl-C or q on the terminal ends it, or the
    /// source or the terminal ends; then ends the connection.
    ///
    /// - Parameters:
    ///   - terminal: whose keys come too.
    ///   - interval: how often a tick comes; nil for never.
    ///   - interruptible: whether Ctrl-C ends it in good order, instead of ending the program.
    ///   - waitsForBroker: whether a broker that cannot be reached at first is waited for.
    ///   - notes: whether changes of the connection are reported on standard error; without a value, unless there is a
    ///     terminal.
    ///   - take: takes an input; returns whether it goes on.
    /// - Throws: `CommandFailure` if no retry helps; what `take` throws.
    func follow(
        _ terminal: Terminal? = nil,
        every interval: Duration? = nil,
        interruptible: Bool = true,
        waitsForBroker: Bool = true,
        notes: Bool? = nil,
        _ take: (LiveInput) throws -> Bool
    ) async throws {
        let inputs = LiveInputs(capacity: capacity)
        let forwarding = Task {
            await forward { inputs.put(.occurrence($0)) }
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
        var notices = Notices(address: address, waitsForBroker: waitsForBroker)
        inputs: while var input = await inputs.next() {
            switch input.content {
            case .occurrence(let occurrence):
                input.note = try notices.note(occurrence)
                if let note = input.note, notes ?? (terminal == nil) { StandardOutput.note(note) }
            case .interrupted, .key(UInt8(ascii: "q")): break inputs
            case .key, .tick: break
            }
            input.connection = notices.connection
            input.dropped += dropped
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
        let signal = Atomic<CInt>(0)
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
                raised.signal.store(number, ordering: .relaxed)
                report()
            }
            source.resume()
            return source
        }
    }

    /// The signal that came; 0 if none did.
    var number: CInt { raised.signal.load(ordering: .relaxed) }

    var isRaised: Bool { number != 0 }

    /// Gives the signals their usual effect back.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
