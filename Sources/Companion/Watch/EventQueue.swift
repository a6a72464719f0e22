import FaceMessages
import System

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
