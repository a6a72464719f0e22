import FaceInference
import FaceMessages
import FaceMetadata
import Frames
import MQTT

struct BrokerExamination {
    /// Seconds until a broker counts as unreachable.
    static let patience = 4.0

    /// What the topics of the daemons begin with; + stands for any level.
    private let patterns: [String]
    private var table: CameraTable
    private var pictures: [String: PreviewPicture] = [:]
    private var connected: ContinuousClock.Instant?

    /// Connects, listens for a moment and reports what was found.
    ///
    /// - Returns: whether a daemon streams, and the findings.
    static func findings(_ options: BrokerOptions) async throws -> (isStreaming: Bool, [Finding]) {
        let subscriber: Subscriber
        do {
            let patterns = try await patterns(options)
            // The pictures of all cameras would be too much to look at.
            let topics = BrokerOptions.isPlural(patterns) ? Topic.viewed.filter { $0 != .previewJPEG } : Topic.viewed
            subscriber = try Subscriber(options, command: "doctor", topics: topics, patterns: patterns)
        } catch let failure as CommandFailure {
            return (false, [.fails("broker", failure.description)])
        }
        var examination = BrokerExamination(patterns: subscriber.patterns)
        for await input in LiveInputs(subscriber, interval: .milliseconds(50)) {
            if case .occurrence(let occurrence) = input.content { examination.take(occurrence) }
            if examination.isOver(at: input.seconds) { break }
        }
        await subscriber.stop()
        let isStreaming = examination.table.cameras.values.contains { $0.condition == .streaming }
        return (isStreaming, examination.findings(address: subscriber.address))
    }

    /// What to look at: what is asked for, else the cameras that there are, else where one is expected.
    private static func patterns(_ options: BrokerOptions) async throws -> [String] {
        guard options.topic.isEmpty else { return options.topic }
        let subscriber = try Subscriber(options, command: "doctor", topics: [.status], patterns: options.patterns)
        let table = try? await CameraTable.listen(to: subscriber)
        await subscriber.stop()
        let bases = table?.sorted.map(\.base) ?? []
        return bases.isEmpty ? [BrokerOptions.standardBase] : bases
    }

    private init(patterns: [String]) {
        self.patterns = patterns
        table = CameraTable(bases: patterns.filter { !$0.contains("+") })
    }

    mutating func take(_ occurrence: Subscriber.Occurrence) {
        switch occurrence {
        case .connection(let state):
            connected = state.isConnected ? .now : nil
        case .message(let message):
            if case .picture(let picture) = message.content { pictures[message.base] = picture }
        case .failed: break
        }
        _ = table.take(occurrence)
    }

    private func isOver(at seconds: Double) -> Bool {
        if case .refused = table.connection { return true }
        guard let connected else { return seconds > Self.patience }
        let listened = connected.duration(to: .now) / .seconds(1)
        guard listened <= Subscriber.listening, !BrokerOptions.isPlural(patterns) else {
            return listened > Subscriber.listening
        }
        return table.cameras.allSatisfy { $0.value.status != nil && pictures[$0.key] != nil }
    }

    // MARK: - Findings

    private func findings(address: String) -> [Finding] {
        guard case .connected(let version, _, let serving) = table.connection else { return [broker(address)] }
        let isPlural = BrokerOptions.isPlural(patterns)
        var findings = [Finding.works("broker", "\(serving) with \(version.rawValue)")]
        for (base, camera) in table.sorted {
            let found =
                [daemon(base, camera)] + details(base, camera)
                + (isPlural || !camera.mayShowFaces ? [] : [preview(base)])
            findings += found.map { finding in
                var finding = finding
                finding.camera = isPlural ? base : nil
                return finding
            }
        }
        if table.cameras.isEmpty { findings.append(daemon(patterns.joined(separator: ", "), CameraState())) }
        if table.refused > 0 {
            findings.append(
                .remark("messages", "\(table.refused) messages break the contract: does another program publish there?")
            )
        }
        return findings
    }

    private func broker(_ address: String) -> Finding {
        switch table.connection {
        case .refused(let reason): .fails("broker", reason)
        case .disconnected(let reason), .takenOver(let reason):
            .fails("broker", reason, remedy: Notices.brokerRemedy)
        default:
            .fails("broker", "\(address) did not answer within \(Int(Self.patience)) s", remedy: "name it with --mqtt")
        }
    }

    private func daemon(_ base: String, _ camera: CameraState) -> Finding {
        guard let status = camera.status else {
            return .fails(
                "daemon",
                "no daemon has published its status on \(base)/status",
                remedy: "start facetd, or name its base with --topic"
            )
        }
        let name = "'\(camera.name ?? "")' version \(status.version ?? "unknown")"
        switch camera.condition {
        case .stopped, .offline:
            return .fails("daemon", "\(name) is \(camera.condition.rawValue)", remedy: "start facetd")
        case .lost:
            return .fails("daemon", "\(name) has lost its camera: \(camera.explanation ?? "no reason given")")
        case .disabled: return .remark("daemon", "\(name) has detection off", remedy: "facet detect on")
        case .starting, .streaming, .unknown:
            return .works("daemon", "\(name) is online" + (status.detail.map { ", \($0)" } ?? ""))
        }
    }

    private func details(_ base: String, _ camera: CameraState) -> [Finding] {
        guard let status = camera.status, status.state == .online else { return [] }
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
        let better = camera.betterOrientation.map(Self.orientation)
        if let finding = better ?? pictures[base].flatMap({ Self.orientation(of: $0.jpeg) }) {
            findings.append(finding)
        }
        for attention in status.attention ?? [] {
            findings.append(.remark("attention", Self.words(attention)))
        }
        return findings
    }

    /// What a preview picture says about the way the camera hangs, which metadata does not show; nil if the faces are
    /// upright, or if there is none.
    ///
    /// A picture that cannot be decoded and models that are missing are reported elsewhere.
    static func orientation(of jpeg: [UInt8]) -> Finding? {
        guard let frame = try? JPEGDecoder().decode(jpeg), let check = try? UprightCheck() else { return nil }
        return (try? check.betterOrientation(of: frame)).flatMap { $0 }.map(orientation)
    }

    private static func orientation(_ better: Orientation) -> Finding {
        let isDown = better == .down
        return .remark(
            "orientation",
            isDown ? "the faces are upside down, and few of them are found" : "the faces lie on their side",
            remedy: isDown
                ? "turn the picture by 180° with camera.orientation: 3 instead of 1, 8 instead of 6"
                : "set camera.orientation to \(better.rawValue)"
        )
    }

    private func preview(_ base: String) -> Finding {
        guard let picture = pictures[base] else {
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
