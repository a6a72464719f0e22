import Foundation
import ServiceLifecycle

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
