package import FaceMessages
import Foundation
import Synchronization
import System

/// Makes the figures of each interval.
package final class StatsMeter: Sendable {
    private let meter: SessionMeter
    private let start: Reading
    private let last: Mutex<Reading>

    package init(_ meter: SessionMeter) {
        self.meter = meter
        start = Reading(of: meter)
        last = Mutex(start)
    }

    /// The figures since the last call, with what became of messages so far.
    package func figures(with messages: DaemonStats.Messages = DaemonStats.Messages()) -> DaemonStats {
        let now = Reading(of: meter)
        let last = last.withLock { exchange(&$0, with: now) }
        let elapsed = (now.time - last.time) / .seconds(1)
        var stats = DaemonStats()
        stats.time = .wallClock()
        stats.uptime = (now.time - start.time) / .seconds(1)
        stats.interval = elapsed
        stats.frameRate = Double(now.frames.captured - last.frames.captured) / elapsed
        stats.analysisRate = Double(now.frames.analysed - last.frames.analysed) / elapsed
        stats.captured = now.frames.captured
        stats.analysed = now.frames.analysed
        stats.dropped = now.frames.droppedByName
        stats.retimed = now.frames.retimed
        stats.stages = meter.drainStages().map { stage, timing in
            let mean = timing.total / Double(timing.runs)
            return DaemonStats.Stage(name: stage.rawValue, runs: timing.runs, mean: mean, longest: timing.longest)
        }
        stats.cpu = (now.processorTime - last.processorTime) / elapsed
        if now.work.decoding > 0 { stats.cpuDecoding = (now.work.decoding - last.work.decoding) / elapsed }
        stats.decoder = meter.decoder
        stats.cpuAnalysis = (now.work.analysis - last.work.analysis) / elapsed
        stats.residentBytes = Self.residentBytes()
        stats.messages = messages
        return stats
    }

    private struct Reading {
        let time = ContinuousClock.now
        /// The processor time this process has used, in seconds.
        let processorTime = Double(clock()) / Double(CLOCKS_PER_SEC)
        let frames: FrameCounts
        let work: (decoding: Double, analysis: Double)

        init(of meter: SessionMeter) { (frames, work) = (meter.counts, meter.processorTime) }
    }

    /// The memory of this process that is in RAM, from `/proc/self/statm`; 0 if that cannot be read.
    private static func residentBytes() -> Int {
        let fields = (try? SmallFile.firstLine(of: "/proc/self/statm"))?.split(separator: " ")
        return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }
}

extension FrameCounts {
    /// The drops by the names that messages and the log have for them.
    package var droppedByName: [String: Int] { Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) }) }
}
