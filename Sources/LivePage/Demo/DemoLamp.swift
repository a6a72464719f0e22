import Companion
import FaceMessages

/// Writes events, and below them on a terminal a lamp that is on while a face smiles.
struct DemoLamp {
    private static let drawing = ["    ___", "   /   \\", "  /_____\\", "     |", "   __|__"]
    /// The rows that have light beside them while it is on.
    private static let light = [3: "  '  |  '", 4: " ' __|__ '"]

    private let formatter = WatchFormatter(hasColors: StandardOutput.hasColors)
    private var state = CameraState()
    private var isOn = false
    private var isDrawn = false
    private var counts: [Topic: Int] = [:]

    /// Takes what happened where the messages come from.
    mutating func take(_ occurrence: Subscriber.Occurrence) {
        guard let decoded = occurrence.decoded else { return }
        _ = state.take(decoded)
        let wasOn = isOn
        isOn = state.faces.contains { $0.smiling == true }
        var line: String?
        if case .event(let event) = decoded {
            counts[Topic(event.event.kind), default: 0] += 1
            line = formatter.line(decoded)
        } else if isOn != wasOn, !StandardOutput.isTerminal {
            line = isOn ? "the lamp is on" : "the lamp is off"
        }
        if line != nil || isOn != wasOn || !isDrawn { show(line) }
    }

    /// Says what was seen.
    mutating func finish() {
        let seen = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
        show("seen: " + (seen.isEmpty ? "no face" : seen.joined(separator: ", ")))
    }

    static func rows(isOn: Bool) -> [String] {
        drawing.enumerated().map { row, text in isOn ? light[row] ?? text : text }
    }

    private mutating func show(_ line: String?) {
        let lines = line.map { [$0] } ?? []
        guard StandardOutput.isTerminal else { return lines.forEach(StandardOutput.print(line:)) }
        let lamp = Self.rows(isOn: isOn).map { $0.styled(isOn ? "1;33" : "2", if: formatter.hasColors) }
        let up = isDrawn ? "\u{1B}[\(lamp.count)A\u{1B}[J" : ""
        isDrawn = true
        StandardOutput.write(Array((up + (lines + lamp).joined(separator: "\n") + "\n").utf8))
    }
}
