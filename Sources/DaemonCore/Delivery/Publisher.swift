/// Encodes messages and hands them to the sinks, in order, on a thread of its own.
///
/// A sink that blocks, such as a full pipe on standard output, blocks that thread. Once the queue is full, the
/// session's thread waits too. Swift's shared threads, which handle signals, never wait.
package final class Publisher: Sendable {
    /// The queue length at which the session's thread waits: the messages of a second or two.
    static let capacity = 64

    let origin: MessageOrigin
    let wanted: Set<Topic>
    private let ledger: Ledger
    private let sinks: [any MessageSink]
    private let queue: Monitor<Queue>
    private let thread: JoinableThread
    private let previewFailures = Atomic(0)

    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isFinished = false
    }

    /// Makes a publisher of the wanted topics and, always, of status, stats and the state of detection. Each message
    /// goes to all sinks in the given order. Throws `SystemError` if no thread can be started.
    package init(origin: MessageOrigin, wanted: Set<Topic>, ledger: Ledger, sinks: [any MessageSink]) throws {
        (self.origin, self.wanted, self.ledger, self.sinks) = (origin, wanted, ledger, sinks)
        let queue = Monitor(Queue())
        self.queue = queue
        thread = try JoinableThread(named: "publisher") { Self.work(queue) }
    }

    deinit { finish() }

    /// Waits until all published messages have gone to the sinks. Messages published later are dropped.
    package func finish() {
        queue.update { $0.isFinished = true }
        thread.join()
    }

    /// Publishes events in order. `update` is the frame's update that contains them, or nil for events without a frame.
    package func publish(_ events: [FaceEvent], of update: FaceUpdate? = nil, waits: Bool = true) {
        guard !events.isEmpty else { return }
        // The jobs must not keep the update, which may hold a picture buffer that the camera needs back.
        let times = events.map { update?.captureTime(of: $0) }
        let counts = events.faceCounts(upTo: update?.faces.count ?? 0)
        post(waits: waits) { [self] in
            for (index, event) in events.enumerated() {
                publishAndNote(event, faces: counts[index], captured: times[index])
            }
        }
    }

    /// Publishes a message unless its topic is switched off. `waits` says whether to block while the queue is full,
    /// which is not allowed on Swift's shared threads.
    package func publish(_ message: DaemonMessage, waits: Bool = true) {
        guard wanted.contains(message.topic) || !Topic.selectable.contains(message.topic) else { return }
        post(waits: waits) { [self] in
            if case .zones(let message) = message { _ = ledger.note(hasZones: !message.zones.isEmpty) }
            send(message.encoded)
        }
    }

    /// Publishes a JPEG preview of the frame with this stamp.
    func publish(preview jpeg: [UInt8], of stamp: FrameStamp) {
        post { [self] in send(Message(preview: jpeg, of: stamp)) }
    }

    /// Sends one sink empty metadata, a count of 0 and empty zones, to replace the retained messages of a killed run.
    func publishEmptySet(_ zones: [Zone], only sink: any MessageSink) {
        let start = FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
        post(waits: false) { [self] in
            var empty: [DaemonMessage] = [
                .metadata(MetadataMessage(origin: origin, stamp: start, faces: [])), .count(0),
            ]
            if wanted.contains(.zones), ledger.note(hasZones: !zones.isEmpty) {
                empty.append(.zones(ZonesMessage(origin: origin, zones: zones.map { $0.counted(0) })))
            }
            for message in empty where wanted.contains(message.topic) { sink.send(message.encoded) }
        }
    }

    func countFailedPreview() { previewFailures.add(1, ordering: .relaxed) }

    var failedPreviews: Int { previewFailures.load(ordering: .relaxed) }

    /// Publishes the leave events of the faces that were present when an earlier run was killed.
    package func publishLeavesOfLastRun() { publish(ledger.leavesOfLastRun, waits: false) }

    /// The number of publishing jobs that wait in the queue.
    var queued: Int { queue.read(\.jobs.count) }

    /// Publishes today's totals if a new day has begun and the queue is not full, or in any case if `always` is set.
    func publishToday(always: Bool = false) {
        guard always || queued < Self.capacity else { return }
        post(waits: false) { [self] in
            if let today = ledger.today(at: .wallClock(), always: always) { send(today) }
        }
    }

    /// Publishes the statistics. Drops them if the queue is full, because newer ones follow soon.
    package func publish(_ stats: DaemonStats) {
        guard queued < Self.capacity else { return }
        publish(.stats(stats, from: origin), waits: false)
    }

    private func publishAndNote(_ event: FaceEvent, faces: Int, captured: ContinuousClock.Instant?) {
        let now = Timestamp.wallClock()
        let (kept, today) = ledger.note(event, at: now)
        if wanted.contains(Topic(event.kind)) {
            let number = Int(ledger.store.nextSequence(with: kept))
            let message = EventMessage(origin, number, event, faces: faces, captured, at: now)
            var encoded = DaemonMessage.event(message).encoded
            encoded.captured = captured
            send(encoded)
        } else {
            ledger.store.set(kept)
        }
        if let today { send(today) }
    }

    private func send(_ today: DayTotals) {
        if wanted.contains(.today) { send(DaemonMessage.today(today, from: origin).encoded) }
    }

    private func send(_ message: Message) { for sink in sinks { sink.send(message) } }

    // MARK: - The thread

    /// Adds a job to the queue, or drops it after `finish`. With `waits`, blocks while the queue is full.
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

/// A receiver of encoded messages, such as the broker connection or standard output.
package protocol MessageSink: Sendable {
    /// Sends a message. May block, because it is called on the publisher's own thread.
    func send(_ message: Message)
}
