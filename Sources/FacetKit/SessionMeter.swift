import Frames
import Synchronization

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
    }

    private struct State {
        var analysed = 0
        var undecodable = 0
        var stale = 0
        var replacedUpdates = 0
        var droppedUpdates = 0
        /// When the session took the frame it works on.
        var frameTaken: ContinuousClock.Instant?
        var stages: [Stage: Timing] = [:]
        /// The counts of mailboxes that are done with, and the current one.
        var captured = 0
        var dropped: [FrameMailbox.Drop: Int] = [:]
        var mailbox: FrameMailbox?

        mutating func add(_ counts: FrameMailbox.Counts) {
            captured += counts.captured
            dropped.merge(counts.dropped, uniquingKeysWith: +)
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts the frames of a mailbox from now on.
    func follow(_ mailbox: FrameMailbox?) {
        state.withLock { state in
            if let old = state.mailbox { state.add(old.counts) }
            state.mailbox = mailbox
        }
    }

    package func beginFrame() { state.withLock { $0.frameTaken = .now } }
    package func endFrame() { state.withLock { $0.frameTaken = nil } }
    func countAnalysed() { state.withLock { $0.analysed += 1 } }
    func countLostUpdate(isReplaced: Bool) {
        state.withLock { if isReplaced { $0.replacedUpdates += 1 } else { $0.droppedUpdates += 1 } }
    }

    /// A frame that was captured whole but could not be decoded.
    func countUndecodable() { state.withLock { $0.undecodable += 1 } }

    /// A frame that waited for too long to be of use.
    func countStale() { state.withLock { $0.stale += 1 } }

    /// How long the session has been working on its current frame; zero while it waits for one.
    package var timeWithFrame: Duration {
        state.withLock { state in state.frameTaken.map { .now - $0 } ?? .zero }
    }

    func record(_ stage: Stage, _ duration: Duration) {
        let seconds = duration.seconds
        state.withLock { state in
            var timing = state.stages[stage] ?? Timing()
            timing.runs += 1
            timing.total += seconds
            timing.longest = max(timing.longest, seconds)
            state.stages[stage] = timing
        }
    }

    package func measure<Result, Failure: Error>(
        _ stage: Stage,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = ContinuousClock.now
        defer { record(stage, ContinuousClock.now - start) }
        return try body()
    }

    package var counts: FrameCounts {
        state.withLock { state in
            var counts = FrameCounts(
                captured: state.captured,
                analysed: state.analysed,
                dropped: state.dropped,
                replacedUpdates: state.replacedUpdates,
                droppedUpdates: state.droppedUpdates
            )
            if let mailbox = state.mailbox?.counts {
                counts.captured += mailbox.captured
                counts.dropped.merge(mailbox.dropped, uniquingKeysWith: +)
            }
            if state.undecodable > 0 { counts.dropped[.corrupt, default: 0] += state.undecodable }
            if state.stale > 0 { counts.dropped[.late, default: 0] += state.stale }
            counts.dropped = counts.dropped.filter { $0.value > 0 }
            return counts
        }
    }

    /// The stage times since the last call.
    package func takeStages() -> [(stage: Stage, timing: Timing)] {
        state.withLock { state in
            defer { state.stages = [:] }
            return Stage.allCases.compactMap { stage in state.stages[stage].map { (stage, $0) } }
        }
    }
}

extension Duration {
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
