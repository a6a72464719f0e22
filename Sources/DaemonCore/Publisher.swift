package import FaceMessages
package import FaceMetadata
import Frames
import Synchronization

/// Where encoded messages go: the broker, standard output.
package protocol MessageSink: Sendable {
    /// Takes a message; must not block for long, for the pipeline waits.
    func send(_ message: Message)
}

/// Numbers that must never be used twice, not even after a restart, and the faces that subscribers believe present.
package protocol Ledger: Sendable {
    /// The number of the next event; each call gives the next one.
    func nextSequence() -> Int
    /// The identity that the next face to enter gets.
    func nextFaceID() -> FaceID
    /// Notes an event as told: an enter opens a face, a leave closes it.
    func note(_ event: FaceEvent)
    /// The leaves, with reason `restart`, of the faces that an earlier run left open by dying.
    func leavesOfLastRun() -> [FaceEvent]
}

/// Encodes what happened and hands it to everybody who wants it.
package final class Publisher: Sendable {
    private let encoder: MessageEncoder
    private let wanted: Set<Topic>
    private let ledger: any Ledger
    private let sinks: [any MessageSink]
    /// Held while events are told: they are numbered and stored in one order, whichever thread they come from.
    private let telling = Mutex(())

    /// Makes a publisher.
    ///
    /// - Parameters:
    ///   - encoder: Knows the camera and this run.
    ///   - wanted: Which messages are published; status, stats and the state of detection always are.
    ///   - ledger: Numbers events.
    ///   - sinks: Where messages go, in this order.
    package init(
        encoder: MessageEncoder,
        wanted: Set<Topic>,
        ledger: any Ledger,
        sinks: [any MessageSink]
    ) {
        self.encoder = encoder
        self.wanted = wanted
        self.ledger = ledger
        self.sinks = sinks
    }

    /// Publishes events in their order.
    ///
    /// - Parameters:
    ///   - events: What happened.
    ///   - captured: When the frame that settled them was captured; nil if no frame did.
    package func publish(_ events: [FaceEvent], captured: ContinuousClock.Instant? = nil) {
        telling.withLock { _ in
            for event in events { tellAndNote(event, captured: captured) }
        }
    }

    private func tellAndNote(_ event: FaceEvent, captured: ContinuousClock.Instant?) {
        // A face is open before its enter is told and until its leave has been: whoever heard of it hears of its
        // end, even if the daemon is killed in between.
        guard case .leave = event.kind else {
            ledger.note(event)
            tell(event, captured: captured)
            return
        }
        tell(event, captured: captured)
        ledger.note(event)
    }

    private func tell(_ event: FaceEvent, captured: ContinuousClock.Instant?) {
        guard wanted.contains(Topic(event.kind)) else { return }
        let latency = captured.map { (ContinuousClock.now - $0).seconds }
        let id = ULID.make(at: .wallClock())
        send(encoder.event(event, id: id, seq: ledger.nextSequence(), latency: latency))
    }

    /// Publishes the leaves of faces that an earlier run left open by dying.
    package func publishLeavesOfLastRun() {
        publish(ledger.leavesOfLastRun())
    }

    /// Publishes the whole current set of faces.
    package func publishMetadata(_ faces: [FaceObject], at stamp: FrameStamp) {
        guard wanted.contains(.metadata) else { return }
        send(encoder.metadata(faces, at: stamp))
    }

    /// Publishes how many faces there are.
    package func publishCount(_ count: Int) {
        guard wanted.contains(.count) else { return }
        send(encoder.count(count))
    }

    /// Publishes a picture of a frame; only the preview does that, if the owner switched it on.
    package func publishPreview(_ jpeg: [UInt8], of stamp: FrameStamp) {
        send(encoder.preview(jpeg, of: stamp))
    }

    /// Publishes the daemon's and its camera's condition.
    package func publish(_ status: DaemonStatus) {
        send(encoder.status(status))
    }

    /// Publishes rates, times and counters.
    package func publish(_ stats: DaemonStats) {
        send(encoder.stats(stats))
    }

    /// Publishes whether detection is on.
    package func publishDetectState(_ isOn: Bool) {
        send(encoder.detectState(isOn))
    }

    private func send(_ message: Message) {
        for sink in sinks { sink.send(message) }
    }
}
