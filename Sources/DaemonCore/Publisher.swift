package import FaceMessages
import Frames
import MQTT
import Synchronization
import System

/// Where encoded messages go: the broker, standard output.
package protocol MessageSink: Sendable {
    /// Takes a message; may block, for it is called on the publisher's own thread.
    func send(_ message: Message)
}

/// Encodes what happened and hands it to the sinks, in order, on a thread of its own.
///
/// A sink that blocks, such as standard output into a pipe without a reader, holds up that thread and, once enough messages
/// wait, the session's; never Swift's shared threads, which handle signals.
package final class Publisher: Sendable {
    /// How many messages may wait before the session's thread does; a second or two of them.
    private static let capacity = 64

    private let encoder: MessageEncoder
    private let wanted: Set<Topic>
    private let ledger: Ledger
    private let sinks: [any MessageSink]
    private let queue: Monitor<Queue>
    private let thread: JoinableThread
    private let previewFailures = Atomic(0)

    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isFinished = false
    }

    /// Publishes the wanted messages, and in any case status, stats and the state of detection, to sinks in their order.
    /// Throws `SystemError` if the system has no thread left.
    package init(encoder: MessageEncoder, wanted: Set<Topic>, ledger: Ledger, sinks: [any MessageSink]) throws {
        (self.encoder, self.wanted, self.ledger, self.sinks) = (encoder, wanted, ledger, sinks)
        let queue = Monitor(Queue())
        self.queue = queue
        thread = try JoinableThread(named: "publisher") { Self.work(queue) }
    }

    deinit { finish() }

    /// Returns when all that was published has gone to the sinks; what is published later is dropped.
    package func finish() {
        queue.update { $0.isFinished = true }
        thread.join()
    }

    /// Publishes events in their order, with the frame that settled them and when it was captured; nil if no frame did.
    package func publish(_ events: [FaceEvent], frame: (stamp: FrameStamp, captured: ContinuousClock.Instant)? = nil) {
        post { [self] in
            for event in events {
                // A blink happened before the frame that made it certain.
                let certainty = frame.map { Duration.seconds($0.stamp.mediaTime - event.stamp.mediaTime) }
                publishAndNote(event, captured: frame.map { $0.captured - max(.zero, certainty ?? .zero) })
            }
        }
    }

    /// Publishes a message, made on the publisher's thread, unless the owner leaves its topic out; `waits` while the queue
    /// is full, which a shared thread must not.
    package func publish(_ topic: Topic, waits: Bool = true, _ make: @escaping @Sendable (MessageEncoder) -> Message) {
        guard wanted.contains(topic) || !Topic.selectable.contains(topic) else { return }
        post(waits: waits) { [self] in send(make(encoder)) }
    }

    /// Sends the empty set, and the empty zones, to one sink only: what a run that died left retained must not outlive it.
    func publishEmptySet(_ zones: [Zone], only sink: any MessageSink) {
        let start = FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
        post(waits: false) { [self] in
            if wanted.contains(.metadata) { sink.send(encoder.metadata([], at: start)) }
            if wanted.contains(.count) { sink.send(encoder.count(0)) }
            if wanted.contains(.zones), ledger.note(hasZones: !zones.isEmpty) {
                sink.send(encoder.zones(zones.map { $0.counted(0) }))
            }
        }
    }

    package func publishZones(_ zones: [ZonesMessage.Zone]) {
        publish(.zones) { [ledger] encoder in
            _ = ledger.note(hasZones: !zones.isEmpty)
            return encoder.zones(zones)
        }
    }

    func countFailedPreview() { previewFailures.add(1, ordering: .relaxed) }

    var failedPreviews: Int { previewFailures.load(ordering: .relaxed) }

    /// Publishes the leaves of faces that an earlier run left open by dying.
    package func publishLeavesOfLastRun() {
        post(waits: false) { [self] in
            for event in ledger.leavesOfLastRun { publishAndNote(event, captured: nil) }
        }
    }

    /// How many jobs wait for the sinks.
    var queued: Int { queue.update(\.jobs.count) }

    /// Publishes what was seen today, unless nothing but time has passed, or the sinks are so far behind that the next totals are
    /// better; `always` in any case.
    func publishToday(always: Bool = false) {
        guard always || queued < Self.capacity else { return }
        post(waits: false) { [self] in
            if let today = ledger.today(at: .wallClock(), always: always) { send(today) }
        }
    }

    /// Publishes rates, times and counters, unless the sinks are so far behind that the next ones are better.
    package func publish(_ stats: DaemonStats) {
        guard queued < Self.capacity else { return }
        publish(.stats, waits: false) { $0.stats(stats) }
    }

    private func publishAndNote(_ event: FaceEvent, captured: ContinuousClock.Instant?) {
        let now = Timestamp.wallClock()
        let (kept, today) = ledger.note(event, at: now)
        if wanted.contains(Topic(event.kind)) {
            let latency = captured.map { (ContinuousClock.now - $0) / .seconds(1) }
            let number = Int(ledger.store.nextSequence(with: kept))
            var message = encoder.event(event, id: ULID.make(at: now), seq: number, latency: latency)
            message.captured = captured
            send(message)
        } else {
            ledger.store.set(kept)
        }
        if let today { send(today) }
    }

    private func send(_ today: DayTotals) {
        if wanted.contains(.today) { send(encoder.today(today)) }
    }

    private func send(_ message: Message) { for sink in sinks { sink.send(message) } }

    // MARK: - The thread

    /// Puts a job into the queue; if the queue is full, waits for a place unless the caller's thread is a shared one.
    private func post(waits: Bool = true, _ job: @escaping @Sendable () -> Void) {
        queue.wait { queue -> Void? in
            if queue.isFinished { return () }
            guard !waits || queue.jobs.count < Self.capacity else { return nil }
            queue.jobs.append(job)
            return ()
        }
    }

    private static func work(_ queue: Monitor<Queue>) {
        while true {
            let jobs = queue.wait { queue -> [@Sendable () -> Void]? in
                guard !queue.jobs.isEmpty else { return queue.isFinished ? [] : nil }
                return exchange(&queue.jobs, with: [])
            }
            guard !jobs.isEmpty else { return }
            for job in jobs { job() }
        }
    }
}
