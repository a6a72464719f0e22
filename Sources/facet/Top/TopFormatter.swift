import FaceMessages
import FaceMetadata

/// Shows the faces, and what they did lately, as lines of text.
struct TopFormatter {
    /// What is shown of each face beside its number.
    private struct Signal {
        let name: String
        /// Angles reach from −45° to 45°, so that straight ahead is in the middle.
        let range: ClosedRange<Double>
        let step: (FaceTrace.Step) -> Double?
        /// The value now; nil if it is unknown.
        let value: (FaceObject) -> String?
        /// Whether the value stands out now.
        var isActive: (FaceObject) -> Bool = { _ in false }

        static let valueWidth = 5

        static var all: [Signal] {
            func angle(
                _ name: String,
                _ step: @escaping (FaceTrace.Step) -> Double?,
                _ value: KeyPath<HeadPose, Double>
            ) -> Signal {
                Signal(name: name, range: -45...45, step: step) { face in
                    (face.pose?[keyPath: value]).flatMap { Int(exactly: $0.rounded()) }.map { "\($0)°" }
                }
            }
            let smile = Signal(name: "SMILE", range: 0...1, step: \.smile) { face in
                face.smile.flatMap { Int(exactly: ($0 * 100).rounded()) }.map { "\($0)%" }
            } isActive: {
                $0.smiling == true
            }
            let eyes = Signal(name: "EYES", range: 0...1, step: \.eyes) { face in
                guard let left = face.leftEyeClosed, let right = face.rightEyeClosed else { return nil }
                return left && right ? "shut" : left ? "left" : right ? "right" : "open"
            } isActive: {
                $0.leftEyeClosed == true || $0.rightEyeClosed == true
            }
            let look = Signal(name: "LOOK", range: 0...1, step: \.look) { face in
                face.looking.map { $0 ? "here" : "away" }
            } isActive: {
                $0.looking == true
            }
            return [
                smile, eyes, look, angle("YAW", \.yaw, \.yaw), angle("PITCH", \.pitch, \.pitch),
                angle("ROLL", \.roll, \.roll),
            ]
        }
    }

    /// Bars of a face's signal, at least and at most.
    private static let barWidths = 5...40
    var hasColors: Bool
    var watch: WatchFormatter

    init(hasColors: Bool) {
        self.hasColors = hasColors
        watch = WatchFormatter(hasColors: hasColors)
    }

    /// All lines: the cameras, the faces and, where there is room below, the events.
    ///
    /// - Returns: at most `rows` lines, none wider than the terminal.
    func lines(_ top: TopState, columns: Int, rows: Int, at seconds: Double, note: String) -> [String] {
        let namesBase = top.table.cameras.count > 1
        var lines = [(summary(top) + " · \(note.printable) · q quits").cut(to: columns), ""]
        let faces = table(top, namesBase: namesBase, columns: columns, at: seconds)
        // A third of the room is left for the events, if there is not enough for both.
        let room = max(2, rows - 3 - min(top.events.count, rows / 3))
        lines += faces.prefix(room)
        if faces.count > room { lines[lines.count - 1] = "… and \(faces.count - room + 1) more faces" }
        guard !top.events.isEmpty else { return Array(lines.prefix(rows)) }
        lines.append("")
        for event in top.events.prefix(max(0, rows - lines.count)) {
            lines.append(line(event, namesBase: namesBase, columns: columns))
        }
        return Array(lines.prefix(rows))
    }

    private func summary(_ top: TopState) -> String {
        let faces = top.table.faceCount.map { " · \($0) \($0 == 1 ? "face" : "faces")" } ?? ""
        let known = top.table.sorted.filter { $0.state.status != nil }
        guard known.count == 1 else {
            let streaming = known.count { $0.state.condition == .streaming }
            return known.isEmpty ? "no daemon yet" : "\(known.count) cameras, \(streaming) streaming\(faces)"
        }
        let (base, state) = known[0]
        let explanation = state.explanation.map { " (\($0))" } ?? ""
        let today = state.today.map { " · today visits \($0.visits), looks \($0.looks), smiles \($0.smiles)" } ?? ""
        return "\(base) \(state.condition.rawValue)\(explanation)\(faces)\(today)".printable
    }

    private func table(_ top: TopState, namesBase: Bool, columns: Int, at seconds: Double) -> [String] {
        let rows = top.rows
        guard !rows.isEmpty else { return [] }
        let labels = rows.map { row in
            let number = "\(row.trace.face.faceID.rawValue)"
            return namesBase ? "\(row.base.printable.suffix(20)) \(number)" : number
        }
        let labelWidth = max(4, labels.map(\.count).max() ?? 0)
        // Where the terminal is narrow, the last signals are left out.
        let overhead = Signal.valueWidth + 3
        var signals = Signal.all[...]
        func width() -> Int { (columns - labelWidth - 8) / max(1, signals.count) - overhead }
        while signals.count > 1, width() < Self.barWidths.lowerBound { signals = signals.dropLast() }
        let bars = min(max(width(), 1), Self.barWidths.upperBound)
        let names = signals.map { $0.name.padding(to: bars + overhead - 2) }
        let heading = (["FACE".padding(to: labelWidth), "  SEEN"] + names).joined(separator: "  ")
        return [String(heading.prefix(columns))]
            + zip(rows, labels).map { row, label in
                let face = row.trace.face
                let seen = FleetFormatter.duration(seconds - row.trace.start)
                let cells = signals.map { signal in
                    let value = (signal.value(face) ?? "–").padding(to: Signal.valueWidth, alignsRight: true)
                    return FaceTrace.sparkline(row.trace.steps.map(signal.step), in: signal.range, width: bars) + " "
                        + value.styled(signal.isActive(face) ? "1;33" : nil, if: hasColors)
                }
                let line = [label.padding(to: labelWidth), seen.padding(to: 6, alignsRight: true)] + cells
                // A face that is hidden now stands back.
                return line.joined(separator: "  ").styled(face.isSeen ? nil : "2", if: hasColors)
            }
    }

    private func line(_ event: TopState.Event, namesBase: Bool, columns: Int) -> String {
        let name = namesBase ? event.base.printable + "  " : ""
        var plain = watch
        plain.hasColors = false
        let text = plain.line(.event(event.message))
        // Colours take no room on the screen, but would be cut in the middle.
        guard name.count + text.count <= columns else { return (name + text).cut(to: columns) }
        return name + watch.line(.event(event.message))
    }
}
