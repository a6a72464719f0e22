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
    func figures(with messages: DaemonStats.Messages) -> DaemonStats {
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
    var droppedByName: [String: Int] { Dictionary(uniqueKeysWithValues: dropped.map { ($0.rawValue, $1) }) }
}

/// Says once that decoding is more than half of the work, and what would make it less.
struct DecodingNotice {
    /// Less than this share of a core is not worth a word.
    private static let least = 0.05
    private var remedy: String?

    init(source: String) {
        if FaceSession.Source.isCamera(source) {
            remedy = "camera.size: 640x480 would"
        } else if source.contains("://"), !source.hasPrefix("file:") {
            remedy = "the camera's second stream, as a rule 640x480, would as camera.source"
        }
    }

    /// What to say after an interval with those figures; nil if there is nothing, or it was said.
    mutating func words(_ stats: DaemonStats) -> String? {
        guard let remedy, let decoding = stats.cpuDecoding, let analysis = stats.cpuAnalysis, decoding > Self.least,
            decoding > analysis,
            let stage = stats.stages.first(where: { $0.name == SessionMeter.Stage.decode.rawValue })
        else { return nil }
        self.remedy = nil
        func percent(_ share: Double) -> Int { Int((100 * share).rounded()) }
        let each = String(format: "%.1f", 1000 * stage.mean)
        return
            "decoding takes \(percent(decoding)) % of a core, \(each) ms a picture, and the analysis \(percent(analysis)) %: "
            + "\(remedy) cost about a quarter of the decoding"
    }
}
