import ArgumentParser
import FaceMessages
import Foundation
import Frames
import TerminalPictures

struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the state of all cameras, one row each.",
        discussion: """
            Cameras are those under faces and +/faces; --topic names others. Cameras with a problem come first. FPS is \
            the rate of analysed frames in the newest faces/stats, LAST EVENT is since this command runs, AGE the time \
            since the newest message of the camera.

            On a terminal the table is live; q ends it. Elsewhere each change of a camera is a line. With --json each \
            change is one line of JSON with base, camera, state, reason, detail, attention, faces, frameRate, lastEvent, \
            lastEventTime and age; what is unknown is left out: faces and frameRate of a camera that does not stream, age \
            of one that streams and has sent nothing yet. With --once the table is written once; the exit status is then \
            1 if there is no camera, or no broker.

            --prometheus keeps a file with the figures of all cameras, for the textfile collector of node_exporter. It is \
            replaced as a whole, and removed at the end. While the broker is away, it says facet_broker_connected 0 and \
            nothing else; figures are as fresh as the daemon's stats.interval. /metrics of facet serve has the same.

            Examples:
              facet fleet
              facet fleet --topic 'site1/+/faces'
              facet fleet --once --json | jq -r 'select(.state == "lost").base'
              facet fleet --prometheus /var/lib/prometheus/node-exporter/facet.prom
            """
    )

    @Flag(help: "Write each change as one line of JSON.")
    var json = false

    /// Seconds that figures are waited for: daemons publish them every 10 s by default.
    private static let patience = 12.0

    @Flag(help: "Write what there is once all cameras have sent their figures, or after \(Int(patience)) s, and end.")
    var once = false

    @Option(help: .init("Keep this file, which must end in .prom, up to date, and show nothing.", valueName: "file"))
    var prometheus: String?

    @Option(
        help: .init("How often --prometheus writes, in seconds (1 to 3600).", valueName: "seconds"),
        transform: number(1...3600)
    )
    var interval = 15.0

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard prometheus == nil || !(json || once) else {
            throw ValidationError("--prometheus excludes --json and --once")
        }
    }

    func run() async throws {
        if let prometheus { return try await writeFigures(to: prometheus) }
        let topics = [.status, .count, .stats] + Topic.events
        let subscriber = try await broker.subscriber("fleet", topics, capacity: 8192)
        let formatter = FleetFormatter(hasColors: StandardOutput.hasColors)
        guard !once else { return try await writeOnce(subscriber, formatter) }
        let terminal = StandardOutput.isTerminal && !json ? try? Terminal(format: .cells) : nil
        defer { terminal?.release() }
        var table = CameraTable()
        try await subscriber.follow(terminal, every: .milliseconds(500)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                if let terminal { draw(table, formatter, input.connection, on: terminal) }
                return true
            }
            // Every message of figures is another one; only their rate is shown.
            if let (base, change) = table.take(occurrence), change != .stats, table.cameras[base] != nil,
                terminal == nil
            {
                StandardOutput.print(line: line(base, table, formatter))
            }
            return true
        }
    }

    private func writeFigures(to path: String) async throws {
        try OutputPath.check(path, endings: ["prom"], what: "figures")
        let topics: [Topic] = [.status, .stats, .count, .zones, .today, .detectState]
        let subscriber = try await broker.subscriber("fleet", topics)
        defer { try? FileManager.default.removeItem(atPath: path) }
        // The first time once the broker has sent what it had retained.
        var table = CameraTable()
        var next = min(interval, Subscriber.listening)
        try await subscriber.follow(every: .milliseconds(250)) { input in
            if case .occurrence(let occurrence) = input.content {
                _ = table.take(occurrence)
            } else if input.seconds >= next {
                try OutputPath.write(MetricsPage(table).text, to: path)
                next = input.seconds + interval
            }
            return true
        }
    }

    private func writeOnce(_ subscriber: Subscriber, _ formatter: FleetFormatter) async throws {
        let table = try await CameraTable.listen(to: subscriber, atMost: Self.patience) { table in
            table.cameras.values.allSatisfy { $0.condition != .streaming || $0.stats != nil }
        }
        guard !table.cameras.isEmpty else { throw subscriber.noCamera }
        let lines =
            json
            ? table.problemsFirst.map { line($0.base, table, formatter) }
            : formatter.rows(table, at: .wallClock())
        for line in lines { StandardOutput.print(line: line) }
    }

    private func line(_ base: String, _ table: CameraTable, _ formatter: FleetFormatter) -> String {
        json ? formatter.json(base, table, at: .wallClock()) : formatter.row(base, table, at: .wallClock())
    }

    private func draw(_ table: CameraTable, _ formatter: FleetFormatter, _ note: String, on terminal: Terminal) {
        let size = TerminalSize.current
        let summary = "\(formatter.summary(table)) · \(note.printable) · q quits".cut(to: size.columns)
        let rows = formatter.rows(table, columns: size.columns, rows: size.rows - 2, at: .wallClock())
        terminal.show(lines: [summary, ""] + rows)
    }
}

/// Shows cameras as rows of text, and as JSON.
struct FleetFormatter {
    var hasColors: Bool

    private static let longestBase = 28

    /// One line about all cameras: how many there are in each state, and how many faces.
    func summary(_ table: CameraTable) -> String {
        let cameras = table.cameras.values
        let states = Dictionary(grouping: cameras, by: \.condition.rawValue).mapValues(\.count).sorted {
            $0.key < $1.key
        }
        var parts = states.map { "\($0.value) \($0.key)" }
        if let faces = table.faceCount { parts.append(faces.counted("face")) }
        if table.refused > 0 { parts.append("\(table.refused) messages refused") }
        let count = cameras.count.counted("camera")
        return parts.isEmpty ? count : "\(count): " + parts.joined(separator: ", ")
    }

    /// A heading and a row for each camera; those that do not fit are counted in the last row.
    func rows(_ table: CameraTable, columns: Int? = nil, rows: Int? = nil, at now: Timestamp) -> [String] {
        let bases = table.problemsFirst.map(\.base)
        let width = min(Self.longestBase, max(6, bases.map(\.count).max() ?? 0))
        let heading = line(["CAMERA", "STATE", "FACES", "FPS", "LAST EVENT", "AGE", "REASON"], width, nil, columns)
        let all = bases.map { row($0, table, width: width, columns: columns, at: now) }
        guard let rows, all.count + 1 > rows else { return [heading] + all }
        let shown = max(0, rows - 2)
        return [heading] + all.prefix(shown) + ["… and \(all.count - shown) more"]
    }

    func row(
        _ base: String,
        _ table: CameraTable,
        width: Int = FleetFormatter.longestBase,
        columns: Int? = nil,
        at now: Timestamp
    ) -> String {
        let camera = table.cameras[base] ?? CameraState()
        let event = camera.lastEvent?.event
        let numbers = [
            camera.faceCount.map { "\($0)" },
            camera.analysisRate.map { String(format: "%.1f", $0) },
            event.map { "\(Topic($0.kind).rawValue) \(Self.duration(now.seconds(since: $0.stamp.time)))" },
            table.age(of: base, at: now).map(Self.duration),
        ].map { $0 ?? "–" }
        let cells = [base, camera.condition.rawValue] + numbers + [camera.explanation ?? ""]
        return line(cells, width, camera.condition, columns)
    }

    /// A camera as one line of JSON, by the names of its fields.
    func json(_ base: String, _ table: CameraTable, at now: Timestamp) -> String {
        let camera = table.cameras[base] ?? CameraState()
        let event = camera.lastEvent?.event
        let line = JSONWriter.object { json in
            json.field("age", table.age(of: base, at: now), decimals: 3)
            json.field("attention", camera.status?.attention?.map(\.rawValue))
            json.field("base", base)
            json.field("camera", camera.name ?? "")
            json.field("detail", camera.status?.detail)
            json.field("faces", camera.faceCount)
            json.field("frameRate", camera.analysisRate, decimals: 1)
            json.field("lastEvent", event.map { Topic($0.kind).rawValue })
            json.field("lastEventTime", event?.stamp.time.iso8601)
            json.field("reason", camera.status?.reason)
            json.field("state", camera.condition.rawValue)
        }
        return String(decoding: JSONText.onOneLine(line), as: UTF8.self)
    }

    /// Seconds in the unit that suits them: `4 s`, `3 min`, `2 h`, `5 d`.
    static func duration(_ seconds: Double) -> String {
        switch max(0, seconds) {
        case ..<60: "\(Int(max(0, seconds))) s"
        case ..<3600: "\(Int(seconds / 60)) min"
        case ..<86400: "\(Int(seconds / 3600)) h"
        default: seconds < 1e9 ? "\(Int(seconds / 86400)) d" : "–"
        }
    }

    private func line(_ cells: [String], _ width: Int, _ condition: CameraState.Condition?, _ columns: Int?) -> String {
        let widths = [width, 9, 5, 5, 18, 6, 0]
        var used = 0
        let parts = zip(cells, widths).enumerated().map { index, part in
            var text = part.0.printable
            if part.1 > 0 {
                if text.count > part.1 { text = text.prefix(part.1 - 1) + "…" }
                text = text.padding(to: part.1, alignsRight: [2, 3, 5].contains(index))
            }
            if let columns { text = text.cut(to: max(0, columns - used)) }
            used += text.count + 2
            return index == 1 ? colored(text, condition) : text
        }
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private func colored(_ text: String, _ condition: CameraState.Condition?) -> String {
        guard let condition else { return text }
        return text.styled(condition == .streaming ? "32" : condition == .disabled ? "2" : "1;31", if: hasColors)
    }
}
