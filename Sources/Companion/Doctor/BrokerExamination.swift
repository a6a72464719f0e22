/// Examines a broker and the daemons that should be online there, for `facet doctor`.
struct BrokerExamination {
    /// Whether there may be several cameras, so that each finding must name its camera.
    private let isPlural: Bool
    private let table: CameraTable
    private let pictures: [String: PreviewPicture]

    /// Connects and listens for some seconds. Returns whether a daemon streams, and the findings.
    static func findings(_ options: BrokerAccess) async -> (isStreaming: Bool, [Finding]) {
        do {
            let patterns = try await patterns(options)
            let isPlural = BrokerAccess.isPlural(patterns)
            // The pictures of several cameras would take too long to examine.
            let topics = [.stats] + (isPlural ? Topic.viewed.filter { $0 != .previewJPEG } : Topic.viewed)
            let subscriber = try Subscriber(options, command: "doctor", topics: topics, patterns: patterns)
            var pictures: [String: PreviewPicture] = [:]
            let table = try await CameraTable.listen(
                to: subscriber,
                bases: patterns.filter { !$0.contains("+") },
                // Statistics come every 10 s, pictures sooner.
                atMost: { table in
                    let figures = !isPlural && table.isStreaming ? FleetWatch.patience : Subscriber.listening
                    return max(figures, table.uncertainty ?? 0)
                },
                pause: 0,
                until: { table in
                    !isPlural && table.uncertainty == nil
                        && table.cameras.allSatisfy { isComplete($1, hasPicture: pictures[$0] != nil) }
                },
                picture: { pictures[$0] = $1 }
            )
            let examination = BrokerExamination(isPlural: isPlural, table: table, pictures: pictures)
            return (table.isStreaming, examination.findings(patterns.joined(separator: ", ")))
        } catch {
            return (false, [CommandFailure(error).finding("broker")])
        }
    }

    /// Whether all messages that are examined have come from a camera.
    static func isComplete(_ camera: CameraState, hasPicture: Bool) -> Bool {
        guard camera.condition == .streaming else { return camera.status != nil && hasPicture }
        return camera.stats != nil && (hasPicture || camera.status?.publish?.contains(.previewJPEG) != true)
    }

    /// The topic bases to examine: those that the user named, else those of all cameras found, else the default one.
    private static func patterns(_ options: BrokerAccess) async throws -> [String] {
        if options.isNarrowed { return try await options.bases(command: "doctor") }
        let subscriber = try Subscriber(options, command: "doctor", topics: [.status], patterns: options.patterns)
        let bases = try await CameraTable.listen(to: subscriber).sorted.map(\.base)
        return bases.isEmpty ? [BrokerAccess.standardBase] : bases
    }

    // MARK: - Findings

    private func findings(_ patterns: String) -> [Finding] {
        var findings: [Finding] = []
        if case .connected(let version, let broker) = table.connection {
            findings.append(.works("broker", "\(broker) with MQTT \(version.rawValue)"))
        }
        for (base, camera) in table.sorted {
            var found = [daemon(base, camera)] + details(base, camera)
            if !isPlural, camera.mayShowFaces { found.append(preview(base)) }
            for index in found.indices where isPlural { found[index].camera = base }
            findings += found
        }
        if table.cameras.isEmpty { findings.append(daemon(patterns, CameraState())) }
        if table.refused > 0 {
            let problem = "\(table.refused) messages break the contract: does another program publish there?"
            findings.append(.remark("messages", problem))
        }
        return findings
    }

    private func daemon(_ base: String, _ camera: CameraState) -> Finding {
        guard let status = camera.status else {
            let remedy = "start facetd, or name its base with --topic; this user must be allowed to read it"
            return .fails("daemon", "no daemon has published its status on \(base)/status", remedy: remedy)
        }
        let name = "'\(camera.name ?? "")' version \(status.version ?? "unknown")"
        switch camera.condition {
        case .stopped, .offline, .gone:
            return .fails("daemon", "\(name) is \(camera.summary)", remedy: "start facetd")
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
            let versions = "the daemon is \(version), this program \(facetVersion)"
            findings.append(.remark("version", versions, remedy: "install both from one build"))
        }
        if let detail = status.outboxDetail, status.outbox != .ok {
            let loss = "events would not survive a crash of the daemon: \(detail)"
            findings.append(status.outbox == .memory ? .fails("outbox", loss) : .remark("outbox", detail))
        }
        let better = camera.betterOrientation.map(Self.orientation)
        findings += [better ?? pictures[base].flatMap { Self.orientation(of: $0.jpeg) }].compactMap(\.self)
        if let stats = camera.stats, let work = stats.work {
            let stage = stats.stages.first { $0.name == "decode" }
            let each = stage.map { String(format: ", %.1f ms to decode a picture", $0.mean * 1000) }
            findings.append(.works("work", "\(work) of a core\(each ?? "")"))
        }
        return findings + (status.attention ?? []).map { .remark("attention", Self.words($0)) }
    }

    /// A finding that the faces in a preview picture are sideways or upside down; nil if they are upright or unknown.
    static func orientation(of jpeg: [UInt8]) -> Finding? {
        guard let frame = try? JPEGDecoder().decode(jpeg), let check = try? FaceCheck() else { return nil }
        return (try? check.betterOrientation(of: frame)).flatMap { $0 }.map(orientation)
    }

    private static func orientation(_ better: Orientation) -> Finding {
        guard better == .down else {
            let remedy = "set camera.orientation to \(better.rawValue)"
            return .remark("orientation", "the faces lie on their side", remedy: remedy)
        }
        let remedy = "turn the picture by 180° with camera.orientation: 3 instead of 1, 8 instead of 6"
        return .remark("orientation", "the faces are upside down, and few of them are found", remedy: remedy)
    }

    private func preview(_ base: String) -> Finding {
        guard let picture = pictures[base] else {
            let problem = "no picture came on \(base)/preview/jpeg"
            let effect = "view shows plain heads, snapshot and record need --over"
            let remedy = "set preview.enabled to true if you want pictures to leave the daemon"
            return .remark("preview", "\(problem): \(effect)", remedy: remedy)
        }
        return .works("preview", "pictures of \(picture.jpeg.count / 1024) KiB come")
    }

    private static func words(_ attention: FaceAttention) -> String {
        switch attention {
        case .tooDark: "the picture is too dark to recognise expressions: more light, or a longer exposure"
        case .tooSmall: "a face is too small to recognise its expression: come nearer, or a larger camera.size"
        case .turnedAway: "a face is turned too far away to recognise its expression"
        case .lowFrameRate: "too few frames are analysed to detect blinks: a smaller camera.size, or a faster machine"
        case .notMeasured: "a face is seen but cannot be measured: it is covered, bent or blurred"
        case .overBudget: "more faces than detection.cpuBudget allows to measure in each frame: a higher one, or off"
        }
    }
}
