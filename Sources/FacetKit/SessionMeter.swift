import Frames
import Synchronization
import System

/// Counts what a session does, and measures the work on its frames.
package final class SessionMeter: Sendable {
    package enum Stage: String, CaseIterable, Sendable {
        case decode
        case detect
        case landmarks
        case track
        case publish
    }

    /// How long a stage took, in seconds.
    package struct Timing: Sendable {
        package var runs = 0
        package var total = 0.0
        package var longest = 0.0

        fileprivate mutating func add(_ seconds: Double) {
            runs += 1
            total += seconds
            longest = max(longest, seconds)
        }
    }

    private struct State {
        /// With those of mailboxes that are done with.
        var counts = FrameCounts()
        /// When the session took the frame it works on, and its thread's processor time at that moment, in seconds.
        var frame: (taken: ContinuousClock.Instant, processorTime: Double)?
        var processorTime = (decoding: 0.0, analysis: 0.0)
        var stages: [Stage: Timing] = [:]
        var mailbox: FrameMailbox?
        var decoder: String?

        /// All counts, with those of the current mailbox.
        var total: FrameCounts {
            var total = counts
            if let mailbox = mailbox?.counts {
                total.captured += mailbox.captured
                total.retimed += mailbox.retimed
                total.dropped.merge(mailbox.dropped.filter { $0.value > 0 }, uniquingKeysWith: +)
            }
            return total
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts the frames of a mailbox from now on.
    func follow(_ mailbox: FrameMailbox) {
        state.withLock { state in
            state.counts = state.total
            state.mailbox = mailbox
        }
    }

    /// What decodes the pictures, if the source says.
    package var decoder: String? {
        get { state.withLock { $0.decoder } }
        set { state.withLock { $0.decoder = newValue } }
    }

    package func beginFrame() { state.withLock { $0.frame = (.now, WorkTime.ofThread) } }

    package func endFrame() {
        state.withLock { state in
            guard let frame = exchange(&state.frame, with: nil) else { return }
            state.processorTime.analysis += WorkTime.ofThread - frame.processorTime
        }
    }

    func count(_ kind: WritableKeyPath<FrameCounts, Int>) { state.withLock { $0.counts[keyPath: kind] += 1 } }

    /// Counts a frame that was captured and not analysed.
    func count(_ drop: FrameMailbox.Drop) { state.withLock { $0.counts.dropped[drop, default: 0] += 1 } }

    /// How long the session has been working on its current frame; zero while it waits for one.
    package var timeWithFrame: Duration { state.withLock { state in state.frame.map { .now - $0.taken } ?? .zero } }

    func record(_ stage: Stage, _ duration: Duration) {
        state.withLock { $0.stages[stage, default: Timing()].add(duration / .seconds(1)) }
    }

    package func measure<Result, Failure: Error>(
        _ stage: Stage,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = ContinuousClock.now
        defer { record(stage, ContinuousClock.now - start) }
        return try body()
    }

    /// Counts what it took to decode a picture.
    func recordDecoding(_ time: WorkTime) {
        record(.decode, .seconds(time.elapsed))
        state.withLock { $0.processorTime.decoding += time.processor }
    }

    /// Decodes on the session's thread, between `beginFrame` and `endFrame`.
    func measureDecoding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var time = WorkTime()
        defer {
            recordDecoding(time)
            state.withLock { $0.processorTime.analysis -= time.processor }
        }
        return try time.measure(body)
    }

    /// How many seconds of processor time it took to decode frames, here or on the source's thread, and to do all else with
    /// them until their update is there.
    package var processorTime: (decoding: Double, analysis: Double) { state.withLock { $0.processorTime } }
    package var counts: FrameCounts { state.withLock { $0.total } }

    /// The stage times since the last call.
    package func drainStages() -> [(stage: Stage, timing: Timing)] {
        let stages = state.withLock { exchange(&$0.stages, with: [:]) }
        return Stage.allCases.compactMap { stage in stages[stage].map { (stage, $0) } }
    }
}
