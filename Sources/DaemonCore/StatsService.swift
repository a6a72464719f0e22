import FaceMessages
import FacetKit
import Foundation
import ServiceLifecycle
import Synchronization
import System

/// Does something again and again until the daemon ends.
struct RepeatingService: Service {
    let interval: Duration
    /// Whether it does so for the first time at once, not after the interval.
    var beginsAtOnce = false
    let action: @Sendable () -> Void

    func run() async {
        if beginsAtOnce { action() }
        // Cancellation ends the sleep at shutdown; nothing is done then.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: interval)
                action()
            }
        }
    }
}

/// Makes the figures of each interval.
final class StatsMeter: Sendable {
    private let meter: SessionMeter
    private let start: Reading
    private let last: Mutex<Reading>

    init(_ meter: SessionMeter) {
        self.meter = meter
        start = Reading(of: meter)
        last = Mutex(start)
    }

    /// The figures since the last call, with what became of messages so far.
    func take(_ messages: DaemonStats.Messages) -> DaemonStats {
        let now = Reading(of: meter)
        let last = last.withLock { exchange(&$0, with: now) }
        let elapsed = (now.time - last.time) / .seconds(1)
        var stats = DaemonStats()
        stats.time = .wallClock()
        (stats.uptime, stats.interval) = ((now.time - start.time) / .seconds(1), elapsed)
        stats.frameRate = Double(now.frames.captured - last.frames.captured) / elapsed
        stats.analysisRate = Double(now.frames.analysed - last.frames.analysed) / elapsed
        (stats.captured, stats.analysed) = (now.frames.captured, now.frames.analysed)
        stats.dropped = now.frames.droppedByName
        stats.stages = meter.takeStages().map { stage, timing in
            let mean = timing.total / Double(timing.runs)
            return DaemonStats.Stage(name: stage.rawValue, runs: timing.runs, mean: mean, longest: timing.longest)
        }
        stats.cpu = (now.processorTime - last.processorTime) / elapsed
        stats.residentBytes = Self.residentBytes()
        stats.messages = messages
        return stats
    }

    private struct Reading {
        let time = ContinuousClock.now
        /// The processor time this process has used, in seconds.
        let processorTime = Double(clock()) / Double(CLOCKS_PER_SEC)
        let frames: FrameCounts

        init(of meter: SessionMeter) {
            frames = meter.counts
        }
    }

    /// The memory of this process that is in RAM, from `/proc/self/statm`; 0 if that cannot be read.
    private static func residentBytes() -> Int {
        guard let fields = try? SmallFile.firstLine(of: "/proc/self/statm").split(separator: " "), fields.count > 1,
            let pages = Int(fields[1])
        else { return 0 }
        return pages * Int(getpagesize())
    }
}

extension FrameCounts {
    /// The drops by the names that messages and the log have for them.
    var droppedByName: [String: Int] {
        Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) })
    }
}
