import FaceMessages
import FaceMetadata
import FacetKit
import Foundation
import Frames
import ServiceLifecycle
import System

struct StatsService: Service {
    let interval: Duration
    let meter: SessionMeter
    let publisher: Publisher
    /// What became of messages so far.
    let messages: @Sendable () -> DaemonStats.Messages

    func run() async {
        // Cancellation ends the sleep at shutdown; nothing is published then.
        try? await cancelWhenGracefulShutdown { try await publishRegularly() }
    }

    private func publishRegularly() async throws {
        let start = Reading(of: meter)
        var last = start
        while true {
            try await Task.sleep(for: interval)
            let now = Reading(of: meter)
            publisher.publish(figures(from: last, to: now, uptime: (now.time - start.time).seconds))
            last = now
        }
    }

    private func figures(from last: Reading, to now: Reading, uptime: Double) -> DaemonStats {
        let elapsed = (now.time - last.time).seconds
        var messages = messages()
        if publisher.failedPreviews > 0 { messages.dropped["preview_failed"] = publisher.failedPreviews }
        var stats = DaemonStats()
        stats.time = .wallClock()
        (stats.uptime, stats.interval) = (uptime, elapsed)
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
        let processorTime = StatsService.processorTime()
        let frames: FrameCounts

        init(of meter: SessionMeter) {
            frames = meter.counts
        }
    }

    /// The processor time this process has used, in seconds.
    static func processorTime() -> Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }

    /// The memory of this process that is in RAM, from `/proc/self/statm`; 0 if that cannot be read.
    static func residentBytes() -> Int {
        guard let fields = try? SmallFile.firstLine(of: "/proc/self/statm").split(separator: " "), fields.count > 1,
            let pages = Int(fields[1])
        else { return 0 }
        return pages * Int(getpagesize())
    }
}

/// Begins the totals of `today` anew soon after midnight, although no face comes.
struct DayService: Service {
    let publisher: Publisher

    func run() async {
        // Not a sleep until midnight: the clock may be set, and the machine suspended.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(10))
                publisher.publishToday()
            }
        }
    }
}

extension FrameCounts {
    /// The drops by the names that messages and the log have for them.
    var droppedByName: [String: Int] {
        Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) })
    }
}
