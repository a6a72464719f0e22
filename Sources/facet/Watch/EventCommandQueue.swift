import FaceMessages
import FaceMetadata

/// Runs a command for one event after the other, while the next ones come in.
struct EventCommandQueue {
    /// How many events may wait for a slow command; the oldest is dropped and reported.
    private static let capacity = 100

    private let events: AsyncStream<(EventMessage, [UInt8])>.Continuation
    private let worker: Task<Void, Never>

    /// Starts with nothing to do.
    init(_ command: EventCommand) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (EventMessage, [UInt8]).self,
            bufferingPolicy: .bufferingNewest(Self.capacity)
        )
        events = continuation
        worker = Task {
            for await (event, payload) in stream {
                if let problem = await command.run(event, payload: payload) { StandardOutput.note(problem) }
            }
        }
    }

    /// Adds an event.
    func add(_ event: EventMessage, payload: [UInt8]) {
        if case .dropped(let (lost, _)) = events.yield((event, payload)) {
            let kind = Topic(lost.event.kind).rawValue
            StandardOutput.note(
                "the command is too slow: no command for the \(kind) of \(lost.event.stamp.time.iso8601)"
            )
        }
    }

    /// Waits until the command has run for all events.
    func finish() async {
        events.finish()
        await worker.value
    }
}
