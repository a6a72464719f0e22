import FaceMessages
import Foundation
import System

/// A shell command that is run for each event, one after the other, with the event's fields in its environment.
struct EventCommand: Sendable {
    /// Bytes of an event that fit into a variable: Linux starts no program with a longer one than 32 pages of 4096 bytes
    /// (`MAX_ARG_STRLEN` in its `binfmts.h`), with its name and its end.
    private static let longestJSON = 32 * 4096 - "FACET_JSON=".utf8.count - 1
    var command: String

    /// Runs the command for an event and waits for its end.
    ///
    /// - Returns: what went wrong; nil if it ended with status 0.
    func run(_ message: EventMessage, payload: [UInt8]) async -> String? {
        let environment = ProcessInfo.processInfo.environment
            .merging(Self.fields(of: message, payload: payload)) { _, new in new }
        let name = Topic(message.event.kind).rawValue
        switch await ShellCommand(text: command, environment: environment).run() {
        case .exited(0): return nil
        case .exited(let status): return "the command for \(name) ended with status \(status)"
        case .signalled(let number): return "the command for \(name) was ended by signal \(number)"
        case .notStarted(let reason): return "the command for \(name) could not be started: \(reason)"
        }
    }

    /// The event's fields by the names a command finds them under; what is unknown is not there.
    static func fields(of message: EventMessage, payload: [UInt8]) -> [String: String] {
        var fields = [
            "FACET_EVENT": Topic(message.event.kind).rawValue, "FACET_FACE": String(message.event.face.faceID.rawValue),
        ]
        if payload.count <= Self.longestJSON { fields["FACET_JSON"] = String(decoding: payload, as: UTF8.self) }
        let object = (try? JSONSerialization.jsonObject(with: Data(message.encoded.payload))) as? [String: Any] ?? [:]
        for (name, value) in object where value is String || value is NSNumber {
            let words = name.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.uppercased()
            fields["FACET_\(words)"] = "\(value)"
        }
        return fields
    }
}

/// Does something with one event after the other, while the next ones come in.
struct EventQueue {
    /// The least time between two reports of dropped events.
    private static let pause = Duration.seconds(10)

    private let events: AsyncStream<(EventMessage, [UInt8])>.Continuation
    /// Returns how many events it was done with.
    private let worker: Task<Int, Never>
    private let failure: String
    private let patience: Double
    private var count = 0
    /// Events that were dropped and not reported yet, and when some were reported.
    private var dropped = 0
    private var noted: ContinuousClock.Instant?

    /// Makes a queue in which so many events may wait; then the oldest is dropped and reported.
    ///
    /// - Parameters:
    ///   - capacity: how many.
    ///   - patience: how many seconds those that are left at the end may take.
    ///   - failure: what an event that was dropped misses, for people: "the command is too slow: no command".
    ///   - perform: the work; returns what went wrong.
    init(
        capacity: Int,
        patience: Double = .infinity,
        _ failure: String,
        _ perform: @escaping @Sendable (EventMessage, _ payload: [UInt8]) async -> String?
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (EventMessage, [UInt8]).self,
            bufferingPolicy: .bufferingNewest(capacity)
        )
        (events, self.failure, self.patience) = (continuation, failure, patience)
        worker = Task {
            var done = 0
            for await (event, payload) in stream {
                if let problem = await perform(event, payload) { StandardOutput.note(problem) }
                done += 1
            }
            return done
        }
    }

    mutating func add(_ event: EventMessage, payload: [UInt8]) {
        guard case .dropped(let (lost, _)) = events.yield((event, payload)) else {
            count += 1
            return
        }
        dropped += 1
        guard noted.map({ $0.duration(to: .now) > Self.pause }) ?? true else { return }
        let name = Topic(lost.event.kind).rawValue
        StandardOutput.note(
            "\(failure) for \(dropped.counted("event")), now the \(name) of \(lost.event.stamp.time.iso8601)"
        )
        (dropped, noted) = (0, .now)
    }

    /// Waits until the work is done for all events, or patience is over; says what is left.
    func finish() async {
        events.finish()
        let limit = Task { [worker, patience] in
            guard patience.isFinite else { return }
            try? await Task.sleep(for: .seconds(patience))
            if !Task.isCancelled { worker.cancel() }
        }
        let left = count - (await worker.value)
        limit.cancel()
        if dropped > 0 { StandardOutput.note("\(failure) for \(dropped.counted("more event"))") }
        if left > 0 { StandardOutput.note("\(failure) for \(left) more events: the time was up") }
    }
}

extension EventMessage {
    /// The message as it was understood: what else its publisher sent is not passed on.
    var encoded: Message {
        MessageEncoder(camera: origin.camera, boot: origin.boot).event(event, id: id, seq: seq, latency: latency)
    }
}
