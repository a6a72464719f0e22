package import FaceMessages
import System

/// Counts the frames of a session, measures the work on them, and makes the statistics of each interval.
package final class SessionMeter: Sendable {
    package enum Stage: String, CaseIterable, Sendable {
        case decode
        case detect
        case landmarks
        case track
        case publish
    }

    /// A reading of the counters. The statistics of an interval are the differences of two readings.
    private struct Reading {
        let time = ContinuousClock.now
        /// The processor time that this process has used, in seconds.
        let processorTime = Double(clock()) / Double(CLOCKS_PER_SEC)
        var frames = FrameCounts()
        /// The processor time, in seconds, for decoding frames on any thread, and for all other work on them.
        var work = (decoding: 0.0, analysis: 0.0)
    }

    private struct State {
        /// All counts except those of the current mailbox, which the session takes its frames from.
        var counts = FrameCounts()
        /// The time at which the session took its current frame, and the thread's processor seconds at that moment.
        var frame: (taken: ContinuousClock.Instant, processorTime: Double)?
        var work = (decoding: 0.0, analysis: 0.0)
        /// The number of runs of each stage since the last statistics, and their total and longest duration in seconds.
        var stages: [Stage: (runs: Int, total: Double, longest: Double)] = [:]
        var mailbox: FrameMailbox?
        var decoder: String?
        var last = Reading()

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
    private let start = ContinuousClock.now

    package init() {}

    /// Counts the frames of another mailbox, from which the session now takes its frames.
    func follow(_ mailbox: FrameMailbox) {
        state.withLock { state in
            state.counts = state.total
            state.mailbox = mailbox
        }
    }

    func use(decoder: String?) { state.withLock { $0.decoder = decoder } }

    package func beginFrame() { state.withLock { $0.frame = (.now, WorkTime.ofThread) } }

    package func endFrame() {
        state.withLock { state in
            guard let frame = exchange(&state.frame, with: nil) else { return }
            state.work.analysis += WorkTime.ofThread - frame.processorTime
        }
    }

    func count(_ kind: WritableKeyPath<FrameCounts, Int>) { state.withLock { $0.counts[keyPath: kind] += 1 } }

    func count(_ drop: FrameMailbox.Drop) { state.withLock { $0.counts.dropped[drop, default: 0] += 1 } }

    package var counts: FrameCounts { state.withLock { $0.total } }

    /// The time for which the session has been working on its current frame; zero while it waits for a frame.
    package var timeWithFrame: Duration { state.withLock { state in state.frame.map { .now - $0.taken } ?? .zero } }

    func record(_ stage: Stage, _ duration: Duration) {
        let seconds = duration / .seconds(1)
        state.withLock { state in
            let (runs, total, longest) = state.stages[stage] ?? (0, 0, 0)
            state.stages[stage] = (runs + 1, total + seconds, max(longest, seconds))
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

    func recordDecoding(_ time: WorkTime) {
        record(.decode, .seconds(time.elapsed))
        state.withLock { $0.work.decoding += time.processor }
    }

    /// Measures decoding on the session's thread, and excludes it from the work between `beginFrame` and `endFrame`.
    func measureDecoding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var time = WorkTime()
        defer {
            recordDecoding(time)
            state.withLock { $0.work.analysis -= time.processor }
        }
        return try time.measure(body)
    }

    /// Returns the statistics since the last call, and includes the given numbers of messages.
    package func figures(with messages: DaemonStats.Messages = DaemonStats.Messages()) -> DaemonStats {
        var stats = DaemonStats()
        stats.time = .wallClock()
        stats.residentBytes = Self.residentBytes()
        stats.messages = messages
        state.withLock { state in
            let now = Reading(frames: state.total, work: state.work)
            let last = exchange(&state.last, with: now)
            let elapsed = (now.time - last.time) / .seconds(1)
            stats.uptime = (now.time - start) / .seconds(1)
            stats.interval = elapsed
            stats.frameRate = Double(now.frames.captured - last.frames.captured) / elapsed
            stats.analysisRate = Double(now.frames.analysed - last.frames.analysed) / elapsed
            stats.captured = now.frames.captured
            stats.analysed = now.frames.analysed
            stats.dropped = now.frames.droppedByName
            stats.retimed = now.frames.retimed
            stats.cpu = (now.processorTime - last.processorTime) / elapsed
            if now.work.decoding > 0 { stats.cpuDecoding = (now.work.decoding - last.work.decoding) / elapsed }
            stats.cpuAnalysis = (now.work.analysis - last.work.analysis) / elapsed
            stats.decoder = state.decoder
            let stages = exchange(&state.stages, with: [:])
            stats.stages = Stage.allCases.compactMap { stage in
                guard let (runs, total, longest) = stages[stage] else { return nil }
                return DaemonStats.Stage(name: stage.rawValue, runs: runs, mean: total / Double(runs), longest: longest)
            }
        }
        return stats
    }

    /// Returns the resident memory of this process in bytes, from `/proc/self/statm`; 0 if that file cannot be read.
    private static func residentBytes() -> Int {
        let fields = (try? SmallFile.firstLine(of: "/proc/self/statm"))?.split(separator: " ")
        return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }
}

extension FrameCounts {
    /// The number of dropped frames for each reason, keyed by the reason's name in messages and in the log.
    package var droppedByName: [String: Int] { Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) }) }
}
