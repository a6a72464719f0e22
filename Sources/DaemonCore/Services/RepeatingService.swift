import Foundation

/// A service that repeats an action until the daemon ends.
struct RepeatingService: Service {
    let interval: Duration
    /// Whether the first action runs at once instead of after an interval.
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

/// Tells the user once for each source if decoding takes more processor time than the analysis, and which setting would
/// reduce it.
struct DecodingNotice {
    /// The minimum fraction of a core that decoding must take for the notice.
    private static let least = 0.05
    /// The source for which the notice was given last.
    private var noted: String?

    private static func remedy(for source: String) -> String? {
        if FaceSession.Source.isCamera(source) { return "camera.size: 640x480 would" }
        guard source.contains("://"), !source.hasPrefix("file:") else { return nil }
        return "the camera's second stream, as a rule 640x480, would as camera.source"
    }

    /// Returns the notice for the statistics of an interval; nil if decoding is cheap or the notice was already given.
    mutating func words(_ stats: DaemonStats, of source: String) -> String? {
        guard source != noted, let remedy = Self.remedy(for: source), let decoding = stats.cpuDecoding,
            let analysis = stats.cpuAnalysis, decoding > Self.least, decoding > analysis,
            let stage = stats.stages.first(where: { $0.name == SessionMeter.Stage.decode.rawValue })
        else { return nil }
        noted = source
        func percent(_ share: Double) -> Int { Int((100 * share).rounded()) }
        let each = String(format: "%.1f", 1000 * stage.mean)
        return
            "decoding takes \(percent(decoding)) % of a core, \(each) ms a picture, and the analysis \(percent(analysis)) %: "
            + "\(remedy) cost about a quarter of the decoding"
    }
}
