package import System

/// Hands frames from a source's thread to the consumer's thread: only the newest frame, or every frame.
///
/// Live sources use `.newest`: a frame that was not taken when the next one comes is dropped and counted. The consumer
/// thus always works on the latest picture, and never slows the capture. Clips read as fast as possible use `.every`:
/// the source waits until its frames are taken. Other events are never dropped.
public final class FrameMailbox: Sendable {
    /// What happens to a frame while earlier frames are waiting to be taken.
    package enum Policy: Sendable {
        /// The new frame replaces the waiting one, which is dropped and counted as late.
        case newest
        /// The source waits while `capacity` frames are waiting.
        case every(capacity: Int)
        /// `.newest` if the newest stream description says that the stream is live, otherwise `.every`.
        case asStreamed(capacity: Int)
    }

    /// The reason why a frame never reached the consumer.
    public enum Drop: String, Hashable, Sendable, CaseIterable {
        /// The consumer did not take the frame in time.
        case late
        /// The source skipped the frame, as a gap in the sequence numbers shows.
        case sequenceGap = "sequence_gap"
        /// The frame came damaged or empty.
        case corrupt
        /// The frame was taken between two flashes of an infrared lamp. Only live sources drop such frames.
        case unlit
        /// The frame was not decoded, because no face had been seen and its size in bytes showed that nothing happened.
        case idle
    }

    /// The numbers of frames since the mailbox was made. Once the mailbox is empty, `captured` is the sum of `taken`
    /// and of all `dropped` except sequence gaps, which were never captured.
    package struct Counts: Hashable, Sendable {
        /// The number of frames that the source captured, including damaged ones.
        package var captured = 0
        package var taken = 0
        /// The number of frames that never reached the consumer, by reason.
        package var dropped: [Drop: Int] = [:]
        /// The number of frames whose own timestamp was wrong and was replaced.
        package var retimed = 0
    }

    private struct State {
        /// The events that were not taken yet, oldest first. With `.newest`, at most one of them is a frame.
        var waiting: [SourceEvent] = []
        var counts = Counts()
        /// The newest description of the stream; nil before the first one and while the stream is lost.
        var stream: StreamDescription?
        var isClosed = false
        var isWoken = false
        var policy: Policy
        var strobe = StrobeFilter()
        var waitingFrames: Int { waiting.count(where: \.isFrame) }
    }

    private let state: Monitor<State>
    private let policy: Policy
    private let dropsUnlit: Bool
    /// Whether no face is seen and nothing moves, so that the source may skip frames until something changes.
    package let isQuiet = Atomic(false)
    /// Whether a live source is delivering frames that it had held back. `put` then waits instead of dropping frames.
    package let isCatchingUp = Atomic(false)
    /// The callback that the source calls with the time that decoding a picture took.
    package let noteDecoding: @Sendable (WorkTime) -> Void

    /// Makes an empty mailbox. With `dropsUnlit`, it drops frames between an infrared lamp's flashes.
    package init(
        policy: Policy,
        dropsUnlit: Bool = true,
        noteDecoding: @escaping @Sendable (WorkTime) -> Void = { _ in }
    ) {
        state = Monitor(State(policy: policy))
        (self.policy, self.dropsUnlit, self.noteDecoding) = (policy, dropsUnlit, noteDecoding)
    }

    /// Adds an event. With `.every`, waits before adding a frame until there is room for it.
    /// - Returns: False once the mailbox is closed. The event is discarded then, and the source should end.
    @discardableResult
    public func put(_ event: SourceEvent) -> Bool {
        var brightness: Float?
        if dropsUnlit, case .frame(let frame) = event { brightness = frame.sampledBrightness }
        // Released after the lock: giving a frame back to its source may take a system call.
        var displaced: SourceEvent?
        defer { withExtendedLifetime(displaced) {} }
        return state.wait { state in
            guard !state.isClosed else { return false }
            if case .lost = event { state.stream = nil }
            if case .streaming(let stream) = event {
                state.stream = stream
                if case .asStreamed(let capacity) = policy {
                    state.policy = stream.isLive ? .newest : .every(capacity: capacity)
                }
            }
            if event.isFrame {
                // This code may run several times for one frame, but the filter must get each frame once.
                if let level = brightness, state.strobe.isUnlit(level), case .newest = state.policy {
                    state.counts.captured += 1
                    state.counts.dropped[.unlit, default: 0] += 1
                    return true
                }
                brightness = nil
                switch isCatchingUp.load(ordering: .relaxed) ? .every(capacity: 1) : state.policy {
                case .every(let capacity), .asStreamed(let capacity):
                    guard state.waitingFrames < max(1, capacity) else { return nil }
                case .newest:
                    guard let older = state.waiting.lastIndex(where: \.isFrame) else { break }
                    displaced = state.waiting.remove(at: older)
                    state.counts.dropped[.late, default: 0] += 1
                }
                state.counts.captured += 1
            }
            state.waiting.append(event)
            return true
        }
    }

    /// Puts a `.streaming` event into the mailbox if the description is new, or the first since the stream was lost.
    package func announce(_ stream: StreamDescription) -> Bool {
        state.read(\.stream) == stream || put(.streaming(stream))
    }

    /// Whether a description of the stream has come since the start or the last loss of the stream.
    var isStreaming: Bool { state.read { $0.stream != nil } }

    /// Counts frames that the source itself dropped; numbers below 1 count as 0.
    public func count(_ drop: Drop, frames: Int = 1) {
        guard frames > 0 else { return }
        // Clamped, so that the sum cannot overflow.
        let frames = min(frames, 1 << 32)
        state.update { state in
            state.counts.dropped[drop, default: 0] += frames
            if drop != .sequenceGap { state.counts.captured += frames }
        }
    }

    /// Counts a frame whose own timestamp was wrong and was replaced.
    package func countRetimed() { state.update { $0.counts.retimed += 1 } }

    /// Blocks until there is an event, then removes and returns the oldest event.
    /// - Returns: Nil once the mailbox is closed.
    package func next() -> SourceEvent? {
        while let arrival = nextOrWoken() { if case .event(let event) = arrival { return event } }
        return nil
    }

    /// The reason why `nextOrWoken` returns: an event of the source, or a call of `wake`.
    package enum Arrival {
        case event(SourceEvent)
        case woken
    }

    /// Waits like `next`, but also returns after a call of `wake`.
    package func nextOrWoken() -> Arrival? {
        state.wait { state -> Arrival?? in
            guard !state.isClosed else { return .some(nil) }
            if exchange(&state.isWoken, with: false) { return .woken }
            guard !state.waiting.isEmpty else { return nil }
            let event = state.waiting.removeFirst()
            if event.isFrame { state.counts.taken += 1 }
            return .event(event)
        }
    }

    /// Makes `nextOrWoken` return even if there is no event.
    package func wake() { state.update { $0.isWoken = true } }

    /// Closes the mailbox and releases blocked threads. Waiting events are discarded, their frames counted as late.
    package func close() {
        let dropped = state.update { state in
            state.isClosed = true
            state.counts.dropped[.late, default: 0] += state.waitingFrames
            return exchange(&state.waiting, with: [])
        }
        withExtendedLifetime(dropped) {}
    }

    package var counts: Counts { state.read(\.counts) }
}

extension SourceEvent {
    fileprivate var isFrame: Bool { if case .frame = self { true } else { false } }
}
