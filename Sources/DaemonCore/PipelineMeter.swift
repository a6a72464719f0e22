import FaceMessages
import Frames
import Synchronization

/// Counts what the pipeline does, for `faces/stats` and the closing line of the log.
package final class PipelineMeter: Sendable {
    /// A part of the work on a frame.
    enum Stage: String, CaseIterable {
        case decode
        case detect
        case landmarks
        case track
        case publish
    }

    private struct Timing {
        var runs = 0
        var total = 0.0
        var longest = 0.0
    }

    private struct State {
        var analysed = 0
        var undecodable = 0
        /// When the pipeline took the frame it works on.
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

    /// Makes a meter that stands at zero.
    package init() {}

    /// Counts the frames of a mailbox from now on.
    func follow(_ mailbox: FrameMailbox?) {
        state.withLock { state in
            if let old = state.mailbox { state.add(old.counts) }
            state.mailbox = mailbox
        }
    }

    /// The pipeline works on a frame from now on.
    func beginFrame() {
        state.withLock { $0.frameTaken = .now }
    }

    /// The pipeline is done with the frame.
    func endFrame() {
        state.withLock { $0.frameTaken = nil }
    }

    /// How long the pipeline has been working on its current frame; zero while it waits for one.
    var timeWithFrame: Duration {
        state.withLock { state in state.frameTaken.map { .now - $0 } ?? .zero }
    }

    func countAnalysed() {
        state.withLock { $0.analysed += 1 }
    }

    /// A frame that was captured whole but could not be decoded.
    func countUndecodable() {
        state.withLock { $0.undecodable += 1 }
    }

    func record(_ stage: Stage, _ duration: Duration) {
        let seconds = duration.seconds
        state.withLock { state in
            state.stages[stage, default: Timing()].runs += 1
            state.stages[stage, default: Timing()].total += seconds
            state.stages[stage, default: Timing()].longest = max(state.stages[stage]?.longest ?? 0, seconds)
        }
    }

    /// Runs `body` and records how long it took.
    func measure<Result, Failure: Error>(_ stage: Stage, _ body: () throws(Failure) -> Result) throws(Failure) -> Result
    {
        let start = ContinuousClock.now
        defer { record(stage, ContinuousClock.now - start) }
        return try body()
    }

    /// Frames since the start: captured, analysed, and dropped by reason.
    var frames: (captured: Int, analysed: Int, dropped: [String: Int]) {
        state.withLock { state in
            var sum = state
            if let mailbox = state.mailbox { sum.add(mailbox.counts) }
            sum.dropped[.corrupt, default: 0] += state.undecodable
            let dropped = sum.dropped.filter { $0.value > 0 }.map { ($0.key.rawValue, $0.value) }
            return (sum.captured, state.analysed, Dictionary(uniqueKeysWithValues: dropped))
        }
    }

    /// The stage times since the last call.
    func takeStages() -> [DaemonStats.Stage] {
        state.withLock { state in
            defer { state.stages = [:] }
            return Stage.allCases.compactMap { stage in
                guard let timing = state.stages[stage], timing.runs > 0 else { return nil }
                return DaemonStats.Stage(
                    name: stage.rawValue,
                    runs: timing.runs,
                    mean: timing.total / Double(timing.runs),
                    longest: timing.longest
                )
            }
        }
    }
}
