import FaceMessages
import MQTT

/// The last row of `facet view`: how things are, and the keys as far as there is room.
struct StatusLine {
    /// The broker's host and port; nil if there is none.
    var broker: String?
    var connection: ConnectionState = .connecting

    /// What is known of the camera; nil for a clip.
    var state: CameraState?

    /// What is shown for a while before everything else and instead of the keys, such as a picture's name.
    var notice: String?

    /// What the daemon's owner should change; nil if nothing.
    var hint: String?
    private(set) var lastEvent: (text: String, seconds: Double)?

    mutating func remember(_ event: EventMessage, at seconds: Double) {
        lastEvent = ("\(Topic(event.event.kind).rawValue) of face \(event.event.face.faceID.rawValue)", seconds)
    }

    /// The row, as wide as the terminal.
    ///
    /// - Returns: the row, padded with spaces.
    func text(columns: Int, faces: Int?, rate: Double?, controls: ViewControls, at seconds: Double) -> String {
        // What was just asked for comes first: a narrow terminal has no room for the rest.
        var parts = [notice, brokerPart, cameraPart, hint].compactMap { $0 }
        if state?.mayShowFaces ?? true {
            parts.append(rate.map { "\(Int($0.rounded())) pictures/s" } ?? "no preview")
            parts.append(faces?.counted("face") ?? "no metadata")
        }
        if let lastEvent {
            parts.append("\(lastEvent.text), \(FleetFormatter.duration(seconds - lastEvent.seconds)) ago")
        }
        parts.append(controls.overlay + (controls.isPaused ? " – paused" : ""))
        // All keys where there is room for them, else the one that shows them.
        if notice == nil { parts += [ViewControls.help, "? keys"] }
        var row = " " + (parts.first?.printable ?? "").cut(to: columns - 1)
        for part in parts.dropFirst().map(\.printable) where row.count + 3 + part.count <= columns {
            row += " │ " + part
            if part == ViewControls.help { break }
        }
        return String(row.padding(to: columns).prefix(max(0, columns)))
    }

    private var brokerPart: String? {
        guard let broker else { return nil }
        if let trouble = connection.trouble { return "✗ \(broker) lost, trying again: \(trouble)" }
        return connection.isConnected ? "● \(broker)" : "○ \(broker)\(connection == .connecting ? " connecting" : "")"
    }

    private var cameraPart: String? {
        guard let state else { return nil }
        guard let name = state.name else { return broker == nil ? nil : "no daemon yet" }
        return "\(name): \(state.mayShowFaces ? state.condition.rawValue : state.summary)"
    }
}

/// When something happened lately, to measure how often it does.
struct RecentMoments {
    /// Twelve seconds of pictures once every four seconds are still a rate.
    private static let span = Duration.seconds(12)

    /// The moments that a rate is measured from: enough for two seconds at the highest rate of a view.
    private static let capacity = 120

    private var moments: [ContinuousClock.Instant] = []

    mutating func add(_ moment: ContinuousClock.Instant) {
        moments = moments.suffix(Self.capacity - 1) + [moment]
    }

    /// How often it happened a second, over the last two seconds, or over the last few times where it is rarer; nil if it
    /// has not happened lately.
    func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let last = moments.last, last.duration(to: now) < Self.span else { return nil }
        let recent = moments.filter { $0.duration(to: now) < .seconds(2) }
        let counted = recent.count >= 3 ? recent : Array(moments.suffix(3))
        guard let first = counted.first, first < last else { return 0 }
        return Double(counted.count - 1) / (first.duration(to: last) / .seconds(1))
    }
}
