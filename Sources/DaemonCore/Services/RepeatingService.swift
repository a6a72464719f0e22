import Foundation
import ServiceLifecycle

/// A service that repeats an action until the daemon ends.
struct RepeatingService: Service {
    let interval: Duration
    /// Whether the first action comes at once, not after an interval.
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

/// Notices once that decoding is more than half of the work, and says what would make it less.
struct DecodingNotice {
    /// The smallest share of a core for decoding that is worth a notice.
    private static let least = 0.05
    private var remedy: String?

    init(source: String) {
        if FaceSession.Source.isCamera(source) {
            remedy = "camera.size: 640x480 would"
        } else if source.contains("://"), !source.hasPrefix("file:") {
            remedy = "the camera's second stream, as a rule 640x480, would as camera.source"
        }
    }

    /// The notice after an interval with these figures; nil if there is none, or it was given.
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
