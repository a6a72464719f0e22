/// Shows each face and its last seconds on the terminal, for `facet top`.
package enum TopScreen {
    package static func show(_ subscriber: Subscriber) async throws {
        let terminal = try Terminal(format: .cells)
        let formatter = TopFormatter(watch: WatchFormatter(hasColors: Console.hasColors))
        var top = TopState()
        try await subscriber.follow(terminal, every: .milliseconds(100)) { input in
            if case .occurrence(let occurrence) = input.content {
                top.take(occurrence, at: input.seconds)
            } else {
                top.advance(to: input.seconds)
                let note = subscriber.isLocal ? subscriber.address : input.connection
                let size = TerminalSize.current
                terminal.show(
                    lines: formatter.lines(top, columns: size.columns, rows: size.rows, at: input.seconds, note: note)
                )
            }
            return true
        }
    }
}

extension Terminal {
    /// Replaces the whole screen with these lines.
    package func show(lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        show(Array(("\u{1B}[H" + text + "\u{1B}[J").utf8))
    }
}

/// Formats the faces and their recent values as lines of text.
struct TopFormatter {
    /// The smallest and the largest number of bars in the sparkline of one value.
    private static let barWidths = 5...40
    let watch: WatchFormatter

    /// The screen's lines, at most `rows`: the cameras, the faces and, if there is room, the events.
    func lines(_ top: TopState, columns: Int, rows: Int, at seconds: Double, note: String) -> [String] {
        let namesBase = top.table.cameras.count > 1
        var lines = [(summary(top) + " · \(note.printable) · q quits").cut(to: columns), ""]
        let faces = table(top, namesBase: namesBase, columns: columns, at: seconds)
        // If there is not room for both, the events get a third of it.
        let room = max(2, rows - 3 - min(top.events.count, rows / 3))
        lines += faces.prefix(room)
        if faces.count > room { lines[lines.count - 1] = "… and \(faces.count - room + 1) more faces" }
        guard !top.events.isEmpty else { return Array(lines.prefix(rows)) }
        lines.append("")
        lines += top.events.prefix(max(0, rows - lines.count)).map { base, event in
            line(base, event, namesBase: namesBase, columns: columns)
        }
        return Array(lines.prefix(rows))
    }

    private func summary(_ top: TopState) -> String {
        let faces = top.table.faceCount.map { " · \($0.countedFaces(held: top.table.heldCount))" } ?? ""
        let known = top.table.sorted.filter { $0.state.status != nil }
        guard known.count == 1 else {
            let streaming = known.count { $0.state.condition == .streaming }
            return known.isEmpty ? "no daemon yet" : "\(known.count) cameras, \(streaming) streaming\(faces)"
        }
        let (base, state) = known[0]
        let explanation = state.explanation.map { " (\($0))" } ?? ""
        let today = state.today.map { " · today visits \($0.visits), looks \($0.looks), smiles \($0.smiles)" } ?? ""
        let work = state.stats?.work.map { " · \($0) of a core" } ?? ""
        return "\(base) \(state.condition.rawValue)\(explanation)\(faces)\(work)\(today)".printable
    }

    private func table(_ top: TopState, namesBase: Bool, columns: Int, at seconds: Double) -> [String] {
        let rows = top.rows
        guard !rows.isEmpty else { return [] }
        let labels = rows.map { row in
            let number = "\(row.trace.face.faceID.rawValue)"
            return namesBase ? "\(row.base.printable.suffix(20)) \(number)" : number
        }
        let labelWidth = max(4, labels.map(\.cells).max() ?? 0)
        // On a narrow terminal, the last signals are left out.
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
                let seen = Seconds.inOneUnit(seconds - row.trace.start)
                let cells = signals.enumerated().map { index, signal in
                    let value = (signal.value(face) ?? "–").padding(to: FaceSignal.valueWidth, alignsRight: true)
                    return FaceTrace.sparkline(row.trace.steps.map { $0[index] }, in: signal.range, width: bars) + " "
                        + value.styled(signal.active(face) == true ? "1;33" : nil, if: watch.hasColors)
                }
                let line = [label.padding(to: labelWidth), seen.padding(to: 6, alignsRight: true)] + cells
                // A face that is not seen at the moment is fainter.
                return line.joined(separator: "  ").styled(face.isSeen ? nil : "2", if: watch.hasColors)
            }
    }

    private func line(_ base: String, _ event: EventMessage, namesBase: Bool, columns: Int) -> String {
        let name = namesBase ? base.printable + "  " : ""
        let text = WatchFormatter(hasColors: false, utcOffset: watch.utcOffset).line(.event(event))
        // Colours have no width, but their control sequences must not be cut.
        guard name.cells + text.cells <= columns else { return (name + text).cut(to: columns) }
        return name + watch.line(.event(event))
    }
}
