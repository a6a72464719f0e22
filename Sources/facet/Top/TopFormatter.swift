import FaceMessages

/// What is shown of a face beside its number.
struct FaceSignal {
    let name: String
    /// Angles reach from −45° to 45°, so that straight ahead is in the middle.
    var range = 0.0...1
    /// How high its bar is; nil if it is unknown.
    let level: (FaceObject) -> Double?
    /// Which of two levels is that of both: a blink or a smile must not fall between two bars.
    var together: (Double, Double) -> Double = { $1 }
    /// The value now; nil if it is unknown.
    let value: (FaceObject) -> String?
    /// Whether the value stands out now.
    var isActive: (FaceObject) -> Bool = { _ in false }

    static let valueWidth = 5

    static var all: [FaceSignal] {
        let smile = FaceSignal(name: "SMILE", level: \.smile, together: max) { face in
            face.smile.flatMap { Int(exactly: ($0 * 100).rounded()) }.map { "\($0)%" }
        } isActive: {
            $0.smiling == true
        }
        let eyes = FaceSignal(name: "EYES", level: { $0.openEyes }, together: min) { face in
            guard let left = face.leftEyeClosed, let right = face.rightEyeClosed else { return nil }
            return left && right ? "shut" : left ? "left" : right ? "right" : "open"
        } isActive: {
            $0.leftEyeClosed == true || $0.rightEyeClosed == true
        }
        let look = FaceSignal(name: "LOOK", level: { $0.looking.map { $0 ? 1 : 0 } }, together: max) { face in
            face.looking.map { $0 ? "here" : "away" }
        } isActive: {
            $0.looking == true
        }
        let angles: [(String, KeyPath<HeadPose, Double>)] = [("YAW", \.yaw), ("PITCH", \.pitch), ("ROLL", \.roll)]
        return [smile, eyes, look]
            + angles.map { name, angle in
                FaceSignal(name: name, range: -45...45, level: { $0.pose?[keyPath: angle] }) { face in
                    (face.pose?[keyPath: angle]).flatMap { Int(exactly: $0.rounded()) }.map { "\($0)°" }
                }
            }
    }
}

extension FaceObject {
    /// How many of the eyes are open, as a share.
    fileprivate var openEyes: Double? {
        guard let leftEyeClosed, let rightEyeClosed else { return nil }
        return (leftEyeClosed ? 0 : 0.5) + (rightEyeClosed ? 0 : 0.5)
    }
}

/// Shows the faces, and what they did lately, as lines of text.
struct TopFormatter {
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
        for (base, event) in top.events.prefix(max(0, rows - lines.count)) {
            lines.append(line(base, event, namesBase: namesBase, columns: columns))
        }
        return Array(lines.prefix(rows))
    }

    private func summary(_ top: TopState) -> String {
        let faces = top.table.faceCount.map { " · \($0.counted("face"))" } ?? ""
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
        let overhead = FaceSignal.valueWidth + 3
        var signals = FaceSignal.all[...]
        func width() -> Int { (columns - labelWidth - 8) / max(1, signals.count) - overhead }
        while signals.count > 1, width() < Self.barWidths.lowerBound { signals = signals.dropLast() }
        let bars = min(max(width(), 1), Self.barWidths.upperBound)
        let names = signals.map { $0.name.padding(to: bars + overhead - 2) }
        let heading = (["FACE".padding(to: labelWidth), "  SEEN"] + names).joined(separator: "  ")
        return [String(heading.prefix(columns))]
            + zip(rows, labels).map { row, label in
                let face = row.trace.face
                let seen = FleetFormatter.duration(seconds - row.trace.start)
                let cells = signals.enumerated().map { index, signal in
                    let value = (signal.value(face) ?? "–").padding(to: FaceSignal.valueWidth, alignsRight: true)
                    return FaceTrace.sparkline(row.trace.steps.map { $0[index] }, in: signal.range, width: bars) + " "
                        + value.styled(signal.isActive(face) ? "1;33" : nil, if: hasColors)
                }
                let line = [label.padding(to: labelWidth), seen.padding(to: 6, alignsRight: true)] + cells
                // A face that is hidden now stands back.
                return line.joined(separator: "  ").styled(face.isSeen ? nil : "2", if: hasColors)
            }
    }

    private func line(_ base: String, _ event: EventMessage, namesBase: Bool, columns: Int) -> String {
        let name = namesBase ? base.printable + "  " : ""
        var plain = watch
        plain.hasColors = false
        let text = plain.line(.event(event))
        // Colours take no room on the screen, but would be cut in the middle.
        guard name.count + text.count <= columns else { return (name + text).cut(to: columns) }
        return name + watch.line(.event(event))
    }
}
