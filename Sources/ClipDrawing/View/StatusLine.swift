/// The last row of `facet view`: the state of broker and camera, and the list of keys if there is room.
struct StatusLine {
    /// The broker's host and port; nil if there is none.
    var broker: String?
    var connection: ConnectionState = .connecting
    /// The state of the camera; nil while a recorded track is played.
    var state: CameraState?
    /// A temporary message, such as the name of a picture that was written. It comes first, and hides the list of keys.
    var notice: String?
    /// A recommended change of the daemon's settings; nil if there is none.
    var hint: String?
    private(set) var lastEvent: (text: String, seconds: Double)?

    mutating func remember(_ event: EventMessage, at seconds: Double) {
        lastEvent = ("\(Topic(event.event.kind).rawValue) of face \(event.event.face.faceID.rawValue)", seconds)
    }

    /// The row, padded with spaces to the width of the terminal.
    func text(columns: Int, faces: Int?, rate: Double?, controls: ViewControls, at seconds: Double) -> String {
        // The answer to a key comes first, because a narrow terminal has no room for the rest.
        var parts = [notice, brokerPart, cameraPart, hint].compactMap { $0 }
        if state?.mayShowFaces ?? true {
            parts.append(rate.map { "\(Int($0.rounded())) pictures/s" } ?? "no preview")
            parts.append(faces?.counted("face") ?? "no metadata")
        }
        if let lastEvent {
            parts.append("\(lastEvent.text), \(Seconds.inOneUnit(seconds - lastEvent.seconds)) ago")
        }
        parts.append(controls.overlay + (controls.isPaused ? " – paused" : ""))
        // All keys are listed if there is room, else the key that lists them.
        if notice == nil { parts += [ViewControls.help, "? keys"] }
        var row = " " + (parts.first?.printable ?? "").cut(to: columns - 1)
        for part in parts.dropFirst().map(\.printable) where row.cells + 3 + part.cells <= columns {
            row += " │ " + part
            if part == ViewControls.help { break }
        }
        return String(row.padding(to: columns).prefix(cells: columns))
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
