package import Synchronization
package import System

/// Hands frames from a source's thread to the pipeline's: the newest one, or every one.
///
/// Live sources use `.newest`: a frame that was not taken in time is dropped and counted when the next one comes, so
/// the pipeline always works on the latest picture and a slow pipeline never slows the capture. Clips read as fast as
/// possible use `.every`: the source waits until its frame was taken. Changes of state are never dropped and stay in
/// order with the frames.
public final class FrameMailbox: Sendable {
    /// The treatment of a frame while the one before it was not taken yet.
    package enum Policy: Sendable {
        /// The older one is dropped, and counted as late.
        case newest
        /// The source waits while `capacity` frames wait to be taken.
        case every(capacity: Int)
        /// `.newest` or `.every`, as each description of a stream says; until there is one, the source waits.
        case asStreamed(capacity: Int)
    }

    /// The reason why a frame never reached the consumer.
    public enum Drop: String, Hashable, Sendable, CaseIterable {
        /// A newer one came first.
        case late
        /// The source skipped it: its sequence number never came.
        case sequenceGap = "sequence_gap"
        /// The frame came damaged or empty.
        case corrupt
        /// Frame lay between two flashes of an infrared lamp; only with `.newest`, since no frame of a clip is dropped.
        case unlit
        /// The frame was not decoded: no face was seen in the pictures before, and its size says that nothing happened.
        case idle
    }

    /// The number of frames since the mailbox was made. Once it is drained, `captured` is `taken` plus the dropped
    /// ones, except for sequence gaps, which were never captured.
    package struct Counts: Hashable, Sendable {
        /// Frames that the source captured, damaged ones too.
        package var captured = 0
        package var taken = 0
        /// Frames that never reached the pipeline, by reason.
        package var dropped: [Drop: Int] = [:]
        /// Frames whose own time was impossible and was corrected.
        package var retimed = 0
    }

    private struct State {
        /// The events that were not taken yet, in order; with `.newest` at most one frame, which is the last element.
        var waiting: [SourceEvent] = []
        var counts = Counts()
        /// The newest description of the stream; nil since the source was lost.
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
    /// Whether no face is seen and nothing moves, so that a source may leave out frames until something changes.
    package let isQuiet = Atomic(false)
    /// Whether a live source hands in frames that it kept: it waits for each, and their age does not matter.
    package let isCatchingUp = Atomic(false)
    /// Takes the time that the source needed to decode a picture.
    package let noteDecoding: @Sendable (WorkTime) -> Void

    /// Makes an empty mailbox. `dropsUnlit` reads some pixels of each frame: for sources that may have a lamp.
    package init(
        policy: Policy,
        dropsUnlit: Bool = true,
        noteDecoding: @escaping @Sendable (WorkTime) -> Void = { _ in }
    ) {
        state = Monitor(State(policy: policy))
        (self.policy, self.dropsUnlit, self.noteDecoding) = (policy, dropsUnlit, noteDecoding)
    }

    /// Puts an event in; with `.every`, a frame waits for room.
    /// - Returns: false once the mailbox is closed; the event is gone then, and the source should end.
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
                // The filter takes each frame once, however often this is tried.
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

    /// Puts `.streaming` in if the stream's description has changed, or if it is the first since a loss.
    package func announce(_ stream: StreamDescription) -> Bool {
        state.read(\.stream) == stream || put(.streaming(stream))
    }

    /// Whether a stream was described since the newest loss.
    var isStreaming: Bool { state.read { $0.stream != nil } }

    /// Counts frames that the source itself had to drop; a number below 1 counts as none.
    public func count(_ drop: Drop, frames: Int = 1) {
        guard frames > 0 else { return }
        // A number that no source can have dropped must not overflow.
        let frames = min(frames, 1 << 32)
        state.update { state in
            state.counts.dropped[drop, default: 0] += frames
            if drop != .sequenceGap { state.counts.captured += frames }
        }
    }

    /// Counts a frame whose own time is not believed.
    package func countRetimed() { state.update { $0.counts.retimed += 1 } }

    /// Blocks until there is an event, and removes the oldest.
    /// - Returns: nil once the mailbox is closed.
    package func next() -> SourceEvent? {
        while let arrival = nextOrWoken() { if case .event(let event) = arrival { return event } }
        return nil
    }

    /// What wakes the consumer of the events.
    package enum Arrival {
        case event(SourceEvent)
        case woken
    }

    /// Does what `next` does, but also returns after `wake`.
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

    /// Lets `nextOrWoken` return although nothing came from the source.
    package func wake() { state.update { $0.isWoken = true } }

    /// Closes the mailbox: what waits in it is dropped, frames among it counted as late; all blocked threads return.
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
