import FaceMessages
import FaceMetadata
import Foundation
import MQTT

/// Looks at the broker and at the daemons that should be online there.
struct BrokerExamination {
    /// Seconds until a broker counts as unreachable.
    static let patience = 4.0

    /// What the topics of the daemons begin with; + stands for any level.
    private let patterns: [String]
    private var connection: ConnectionState = .connecting
    /// What each daemon has published, by its base.
    private var models: [String: LiveModel] = [:]
    private var connected: ContinuousClock.Instant?

    /// Connects, listens for a moment and reports what was found.
    ///
    /// - Returns: whether a daemon streams, and the findings.
    static func findings(_ options: BrokerOptions) async throws -> (isStreaming: Bool, [Finding]) {
        let subscriber: Subscriber
        do {
            let patterns = options.patterns(default: ["faces"])
            // The pictures of all cameras would be too much to look at.
            let topics = BrokerOptions.isPlural(patterns) ? Topic.viewed.filter { $0 != .previewJPEG } : Topic.viewed
            subscriber = try Subscriber(options, command: "doctor", topics: topics, patterns: patterns)
        } catch let failure as CommandFailure {
            return (false, [.fails("broker", failure.description)])
        }
        var examination = BrokerExamination(patterns: subscriber.patterns)
        let start = ContinuousClock.now
        for await input in LiveInputs(subscriber, interval: .milliseconds(50)) {
            if case .occurrence(let occurrence) = input.content { examination.take(occurrence) }
            if examination.isOver(after: start.duration(to: .now) / .seconds(1)) { break }
        }
        await subscriber.stop()
        let isStreaming = examination.models.values.contains {
            $0.status?.status.cameraState == .streaming && $0.isWatching
        }
        return (isStreaming, examination.findings(address: subscriber.address))
    }

    private init(patterns: [String]) {
        self.patterns = patterns
        for pattern in patterns where !pattern.contains("+") { models[pattern] = LiveModel() }
    }

    /// Takes what happened on the connection.
    mutating func take(_ occurrence: Subscriber.Occurrence) {
        switch occurrence {
        case .connection(let state):
            connection = state
            connected = state.isConnected ? .now : nil
            for base in models.keys { _ = models[base]?.take(occurrence, at: 0) }
        case .message(let topic, let message):
            _ = models[message.base(of: topic), default: LiveModel()].take(occurrence, at: 0)
        case .foreign: break
        }
    }

    private func isOver(after seconds: Double) -> Bool {
        if case .refused = connection { return true }
        guard let connected else { return seconds > Self.patience }
        let listened = connected.duration(to: .now) / .seconds(1)
        guard listened <= Subscriber.listening, !BrokerOptions.isPlural(patterns) else {
            return listened > Subscriber.listening
        }
        return models.values.allSatisfy { $0.status != nil && $0.picture != nil }
    }

    // MARK: - Findings

    /// What was found.
    private func findings(address: String) -> [Finding] {
        guard case .connected(let version, _, let serving) = connection else { return [broker(address)] }
        let isPlural = BrokerOptions.isPlural(patterns)
        var findings = [Finding.works("broker", "\(serving) with \(version.rawValue)")]
        for (base, model) in models.sorted(by: { $0.key.compare($1.key, options: .numeric) == .orderedAscending }) {
            let found = [daemon(base, model)] + details(model) + (isPlural ? [] : [preview(base, model)])
            findings += found.map { finding in
                var finding = finding
                finding.camera = isPlural ? base : nil
                return finding
            }
        }
        return findings + (models.isEmpty ? [daemon(patterns.joined(separator: ", "), LiveModel())] : [])
    }

    private func broker(_ address: String) -> Finding {
        switch connection {
        case .refused(let reason): .fails("broker", reason)
        case .disconnected(let reason), .takenOver(let reason):
            .fails("broker", reason, remedy: "start it (sudo systemctl start mosquitto), or name it with --mqtt")
        default:
            .fails("broker", "\(address) did not answer within \(Int(Self.patience)) s", remedy: "name it with --mqtt")
        }
    }

    private func daemon(_ base: String, _ model: LiveModel) -> Finding {
        guard let message = model.status else {
            return .fails(
                "daemon",
                "no daemon has published its status on \(base)/status",
                remedy: "start facetd, or name its base with --topic"
            )
        }
        let status = message.status
        let name = "'\(message.origin.camera)' version \(status.version ?? "unknown")"
        guard status.state == .online else {
            return .fails("daemon", "\(name) is \(status.state.rawValue)", remedy: "start facetd")
        }
        switch status.cameraState {
        case .lost:
            return .fails(
                "daemon",
                "\(name) has lost its camera: \(status.detail ?? status.reason ?? "no reason given")"
            )
        case .disabled: return .remark("daemon", "\(name) has detection off", remedy: "facet detect on")
        default: return .works("daemon", "\(name) is online" + (status.detail.map { ", \($0)" } ?? ""))
        }
    }

    private func details(_ model: LiveModel) -> [Finding] {
        guard let status = model.status?.status, status.state == .online else { return [] }
        var findings: [Finding] = []
        if let version = status.version, version != facetVersion {
            findings.append(
                .remark(
                    "version",
                    "the daemon is \(version), this program \(facetVersion)",
                    remedy: "install both from one build"
                )
            )
        }
        if let detail = status.outboxDetail, status.outbox != .ok {
            findings.append(
                status.outbox == .memory
                    ? .fails("outbox", "events would not survive a crash of the daemon: \(detail)")
                    : .remark("outbox", detail)
            )
        }
        let better = model.betterOrientation.map(PictureExamination.finding)
        if let finding = better ?? model.picture.flatMap({ PictureExamination.orientation(of: $0.jpeg) }) {
            findings.append(finding)
        }
        for attention in status.attention ?? [] {
            findings.append(.remark("attention", Self.words(attention)))
        }
        return findings
    }

    private func preview(_ base: String, _ model: LiveModel) -> Finding {
        guard let picture = model.picture else {
            return .remark(
                "preview",
                "no picture came on \(base)/preview/jpeg: view shows plain heads, snapshot and record need --over",
                remedy: "set preview.enabled to true if you want pictures to leave the daemon"
            )
        }
        return .works("preview", "pictures of \(picture.jpeg.count / 1024) KiB come")
    }

    private static func words(_ attention: FaceAttention) -> String {
        switch attention {
        case .tooDark: "the picture is too dark to recognise expressions: more light, or a longer exposure"
        case .tooSmall: "a face is too small to recognise its expression: come nearer, or a larger camera.size"
        case .turnedAway: "a face is turned too far away to recognise its expression"
        case .lowFrameRate: "too few frames are analysed to detect blinks: a smaller camera.size, or a faster machine"
        case .overBudget: "more faces than detection.cpuBudget allows to measure in each frame: a higher one, or off"
        }
    }
}
