/// Prints events and, below them on a terminal, a lamp that is lit while a face smiles.
struct DemoLamp {
    private static let drawing = ["    ___", "   /   \\", "  /_____\\", "     |", "   __|__"]
    /// The rows of the drawing that show rays of light while the lamp is lit.
    private static let light = [3: "  '  |  '", 4: " ' __|__ '"]

    private let formatter = WatchFormatter(hasColors: Console.hasColors)
    private var state = CameraState()
    private var isOn = false
    private var isDrawn = false
    private var counts: [Topic: Int] = [:]

    /// Takes a camera's message or a note for the user, prints events and notes, and switches the lamp.
    mutating func take(_ input: LiveInput) {
        if let note = input.note {
            clear()
            Console.note(note)
            show(nil)
        }
        guard case .occurrence(let occurrence) = input.content, let decoded = occurrence.decoded else { return }
        _ = state.take(decoded)
        let wasOn = isOn
        isOn = state.faces.contains { $0.smiling == true }
        var line: String?
        if case .event(let event) = decoded {
            counts[Topic(event.event.kind), default: 0] += 1
            line = formatter.line(decoded)
            if Console.isTerminal, case let plain = WatchFormatter(hasColors: false).line(decoded),
                case let width = TerminalSize.current.columns, plain.count > width
            {
                line = plain.cut(to: width)
            }
        } else if isOn != wasOn, !Console.isTerminal {
            line = isOn ? "the lamp is on" : "the lamp is off"
        }
        if line != nil || isOn != wasOn || !isDrawn { show(line) }
    }

    /// Prints a summary in place of the lamp.
    mutating func finish() {
        clear()
        let seen = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        Console.print(line: "seen: " + (seen.isEmpty ? "no face" : seen.joined(separator: ", ")))
    }

    static func rows(isOn: Bool) -> [String] {
        drawing.enumerated().map { row, text in isOn ? light[row] ?? text : text }
    }

    private mutating func show(_ line: String?) {
        let lines = line.map { [$0] } ?? []
        guard Console.isTerminal else { return lines.forEach(Console.print(styled:)) }
        let lamp = Self.rows(isOn: isOn).map { $0.styled(isOn ? "1;33" : "2", if: formatter.hasColors) }
        clear()
        isDrawn = true
        Console.write(Array(((lines + lamp).joined(separator: "\n") + "\n").utf8))
    }

    private mutating func clear() {
        if isDrawn { Console.write(Array("\u{1B}[\(Self.drawing.count)A\u{1B}[J".utf8)) }
        isDrawn = false
    }
}
