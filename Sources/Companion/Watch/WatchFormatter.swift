/// Formats messages as lines of text.
package struct WatchFormatter {
    /// The styles of topic names that are emphasised.
    private static let colors: [Topic: String] = [
        .enter: "1;32", .leave: "1;31", .smile: "1;33", .status: "1;35", .detectState: "1;35",
    ]
    package let hasColors: Bool

    /// The offset of the user's time zone from UTC, in seconds, at a time.
    let utcOffset: @Sendable (Timestamp) -> Int

    package init(hasColors: Bool, utcOffset: @escaping @Sendable (Timestamp) -> Int = { $0.localOffset }) {
        self.hasColors = hasColors
        self.utcOffset = utcOffset
    }

    package func line(_ message: DaemonMessage) -> String {
        switch message {
        case .metadata(let message): row(message.stamp.time, .metadata, words(of: message.faces))
        case .event(let message): row(message.event.stamp.time, Topic(message.event.kind), words(of: message))
        case .status(let status, _): row(status.time, .status, words(of: status))
        case .count(let count): row(nil, .count, "\(count)")
        case .zones(let message): row(nil, .zones, message.zones.map(words).joined(separator: ", "))
        case .today(let totals, _): row(nil, .today, words(of: totals))
        case .detectState(let isOn): row(nil, .detectState, "detection is \(isOn ? "on" : "off")")
        case .detectSet(let isOn): row(nil, .detectSet, "detection is to be \(isOn ? "on" : "off")")
        case .smileSet(let change): row(nil, .smileSet, words(of: change))
        case .zoneSet(let command): row(nil, .zoneSet, "\(command.zone) \(command.isOn ? "on" : "off")")
        case .stats(let stats, _): row(stats.time, .stats, words(of: stats))
        }
    }

    // MARK: - Messages

    package func words(of faces: [FaceObject]) -> String {
        let words = faces.map { ([place($0)] + pose($0.pose) + expression($0)).joined(separator: " ") }
        return words.isEmpty ? "no face" : words.joined(separator: " | ")
    }

    func faint(_ text: String) -> String { text.styled("2", if: hasColors) }

    private func place(_ face: FaceObject) -> String {
        let box = face.bounds
        return "face \(face.faceID.rawValue) at \(percent(box.center.x)),\(percent(box.center.y))"
            + " size \(percent(box.width))×\(percent(box.height))"
    }

    private func pose(_ pose: HeadPose?) -> [String] {
        guard let pose else { return [] }
        let angles = [("roll", pose.roll), ("yaw", pose.yaw), ("pitch", pose.pitch)]
        return angles.compactMap { name, angle in angle.map { "\(name) \(degrees($0))" } }
    }

    private func expression(_ face: FaceObject) -> [String] {
        var words = face.isHeld ? ["held, not seen"] : []
        if face.isSeen, !face.hasMesh { words.append("not measured") }
        if face.smiling == true { words.append("smiling") }
        if face.looking == true { words.append("looking") }
        if let zones = face.zones, !zones.isEmpty { words.append("in \(zones.joined(separator: ", "))") }
        if face.still { words.append("still") }
        if let distance = face.distance { words.append("\((distance * 10).rounded() / 10) m away") }
        return words + [face.closedEyes].compactMap(\.self)
    }

    private func words(of zone: ZonesMessage.Zone) -> String { "\(zone.name) \(zone.isOn ? "\(zone.faces)" : "off")" }

    private func words(of change: SmileChange) -> String {
        [change.level.map { "level \($0)" }, change.hold.map { "hold \(seconds($0))" }].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// An event and its face in words, without the time and the kind; with the head pose if `withPose`.
    package func words(of message: EventMessage, withPose: Bool = true) -> String {
        let event = message.event
        var words = ["face \(event.face.faceID.rawValue)"]
        switch event.kind {
        case .leave(let dwell, _, let reason):
            words.append("after \(seconds(dwell))")
            if reason != .left { words.append("(\(reason.rawValue))") }
            if let visit = event.face.visit { words.append("– \(self.words(of: visit))") }
        case .smileEnd(let duration, let peak):
            words.append("after \(seconds(duration)), at most \(percent(peak))")
        case .zoneEnter(let zone): words.append("into \(zone)")
        case .zoneLeave(let zone, let dwell): words.append("out of \(zone) after \(seconds(dwell))")
        case .sign(let sign): words.append(sign.rawValue)
        case .blink(let eyes, let duration), .eyesClosed(let eyes, let duration), .eyesOpen(let eyes, let duration):
            words.append("\(eyes == .both ? "both eyes" : "\(eyes.rawValue) eye"), \(seconds(duration))")
        case .lookAway(let duration): words.append("after \(seconds(duration))")
        case .enter, .smile, .mouthOpen, .look: words += withPose ? pose(event.face.pose) : []
        }
        return words.joined(separator: " ")
    }

    private func words(of status: DaemonStatus) -> String {
        var words = [status.state.rawValue]
        if let camera = status.cameraState, status.state == .online { words.append("camera \(camera.rawValue)") }
        if let reason = status.reason { words.append("(\(reason))") }
        if let detail = status.detail { words.append("– \(detail)") }
        if let attention = status.attention, !attention.isEmpty {
            words.append("– attention: \(attention.map(\.rawValue).joined(separator: ", "))")
        }
        if status.held > 0 { words.append("– \(status.held) held, not seen") }
        return words.joined(separator: " ")
    }

    private func words(of visit: Visit) -> String {
        "smiles \(visit.smiles) (\(seconds(visit.smilingSeconds))), looks \(visit.looks) "
            + "(\(seconds(visit.lookingSeconds))), blinks \(visit.blinks)"
            + (visit.unseen > 0 ? ", unseen \(seconds(visit.unseen))" : "")
    }

    private func words(of totals: DayTotals) -> String {
        "since \(clock(totals.since).prefix(8)): visits \(totals.visits), looks \(totals.looks) "
            + "(\(seconds(totals.lookingSeconds))), smiles \(totals.smiles), most faces at once \(totals.mostFaces)"
    }

    private func words(of stats: DaemonStats) -> String {
        let idle = stats.dropped["idle"] ?? 0
        let dropped = stats.dropped.values.reduce(0, +) - idle
        let messages = stats.messages
        return [
            String(format: "%.1f frames/s, %.1f analysed", stats.frameRate, stats.analysisRate)
                + (dropped > 0 ? ", \(dropped) dropped" : "") + (idle > 0 ? ", \(idle) idle" : ""),
            "processor \(percent(stats.cpu)) of one core\(stats.work.map { " (\($0))" } ?? ""), \(stats.residentBytes >> 20) MiB",
            "\(messages.sent) messages sent, \(messages.queued) waiting"
                + (messages.expired > 0 ? ", \(messages.expired) expired" : ""),
        ].joined(separator: " – ")
    }

    // MARK: - Parts

    private func row(_ time: Timestamp?, _ topic: Topic, _ words: String) -> String {
        let color = Self.colors[topic] ?? (topic.isEvent ? "1;36" : "2")
        let name = topic.rawValue.padding(to: 11).styled(color, if: hasColors)
        return "\(faint(time.map(clock) ?? "            "))  \(name)  \(words.printable)"
    }

    private func clock(_ time: Timestamp) -> String {
        let local = Timestamp(nanoseconds: time.nanoseconds &+ Int64(utcOffset(time)) * 1_000_000_000)
        return String(local.iso8601.suffix(16).prefix(12))
    }

    private func seconds(_ value: Double) -> String { Seconds.text(value, part: 100) }
}

extension DaemonStats {
    /// The processor time by kind of work, such as `decoding 18%, analysis 5%`; nil if the daemon does not publish it.
    var work: String? {
        let by = decoder.map { " by \($0.printable)" } ?? ""
        let decoding = cpuDecoding.map { "decoding \(percent($0))\(by)" }
        let parts = [decoding, cpuAnalysis.map { "analysis \(percent($0))" }]
        return cpuAnalysis == nil ? nil : parts.compactMap(\.self).joined(separator: ", ")
    }
}
