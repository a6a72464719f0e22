import ArgumentParser
import FaceMessages
import FaceMetadata
import Frames
import MQTT
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

            Examples:
              facet fleet
              facet fleet --topic 'site1/+/faces'
              facet fleet --once --json | jq -r 'select(.state == "lost").base'
            """
    )

    @Flag(help: "Write each change as one line of JSON.")
    var json = false

    /// Seconds that figures are waited for: daemons publish them every 10 s by default.
    private static let patience = 12.0

    @Flag(help: "Write what there is once all cameras have sent their figures, or after \(Int(patience)) s, and end.")
    var once = false

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let topics = [.status, .count, .stats] + Topic.events
        let patterns = try await broker.bases(command: "fleet")
        let subscriber = try Subscriber(broker, command: "fleet", topics: topics, patterns: patterns, capacity: 8192)
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

    private func writeOnce(_ subscriber: Subscriber, _ formatter: FleetFormatter) async throws {
        let table = try await CameraTable.listen(to: subscriber, atMost: Self.patience) { table in
            table.cameras.values.allSatisfy { $0.condition != .streaming || $0.stats != nil }
        }
        guard !table.cameras.isEmpty else { throw subscriber.noCamera }
        let lines =
            json
            ? FleetFormatter.bases(table).map { line($0, table, formatter) }
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
