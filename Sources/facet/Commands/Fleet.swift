import ArgumentParser
import FaceMessages
import FaceMetadata
import Frames
import MQTT
import TerminalPictures

/// `facet fleet`: every camera on a broker, one row each.
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the state of all cameras, one row each.",
        discussion: """
            Cameras are those under faces and +/faces; --topic names others. Cameras with a problem come first. FPS is \
            the rate of analysed frames in the newest faces/stats, LAST EVENT is since this command runs, AGE the time \
            since the newest message of the camera.

            On a terminal the table is live; q ends it. Elsewhere each change of a camera is a line. With --json each \
            change is one line of JSON with base, camera, state, reason, detail, attention, faces, frameRate, lastEvent, \
            lastEventTime and age; what is unknown is left out. With --once the table is written once; \
            the exit status is then 1 if there is no camera.

            Examples:
              facet fleet
              facet fleet --topic 'site1/+/faces'
              facet fleet --once --json | jq -r 'select(.state == "lost").base'
            """
    )

    @Flag(help: "Write each change as one line of JSON.")
    var json = false

    @Flag(help: "Write what there is after \(String(Subscriber.listening)) s, and end.")
    var once = false

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let topics = [.status, .count, .stats] + Topic.events
        let patterns = broker.patterns(default: BrokerOptions.allCameras)
        let subscriber = try Subscriber(broker, command: "fleet", topics: topics, patterns: patterns, capacity: 8192)
        let isLive = StandardOutput.isTerminal && !json && !once
        let terminal = isLive ? try? Terminal(format: .cells) : nil
        defer { terminal?.release() }
        var board = FleetBoard()
        let formatter = FleetFormatter(hasColors: StandardOutput.hasColors)
        var notices = ConnectionNotices(address: subscriber.address)
        var connected: ContinuousClock.Instant?
        var note = "connecting to \(subscriber.address)"
        let interval: Duration? = isLive ? .milliseconds(500) : once ? .milliseconds(50) : nil
        loop: for await input in LiveInputs(subscriber, terminal, interval: interval, interruptible: true) {
            switch input.content {
            case .occurrence(.connection(let state)):
                let text: String?
                do {
                    text = try notices.note(state)
                } catch {
                    terminal?.release()
                    throw error
                }
                if state.isConnected { connected = .now } else { board.clear() }
                note = state.isConnected ? subscriber.address : text ?? note
                if let text, !isLive { StandardOutput.note(text) }
            case .occurrence(.message(let topic, let message)):
                let camera = try? board.take(
                    message.payload,
                    on: topic,
                    under: message.base(of: topic),
                    isRetained: message.retained,
                    at: .wallClock()
                )
                if let camera, !isLive, !once { try show(camera, board, formatter) }
            case .tick:
                if let terminal { draw(board, formatter, note, on: terminal) }
                if once, let connected, connected.duration(to: .now) > .seconds(Subscriber.listening) { break loop }
            case .key(UInt8(ascii: "q")), .interrupted: break loop
            case .occurrence(.foreign), .key: break
            }
        }
        terminal?.release()
        await subscriber.stop()
        guard once else { return }
        guard !board.cameras.isEmpty else {
            throw CommandFailure(
                "no camera under \(patterns.joined(separator: ", ")) at \(subscriber.address): start facetd, or name the "
                    + "bases with --topic"
            )
        }
        let now = Timestamp.wallClock()
        if json {
            for camera in board.cameras {
                StandardOutput.print(line: try formatter.json(camera, age: board.age(of: camera.base, at: now)))
            }
        } else {
            for line in formatter.table(board, at: now) { StandardOutput.print(line: line) }
        }
    }

    private func show(_ camera: FleetBoard.Camera, _ board: FleetBoard, _ formatter: FleetFormatter) throws {
        if json {
            let age = board.age(of: camera.base, at: .wallClock())
            StandardOutput.print(line: try formatter.json(camera, age: age))
        } else {
            StandardOutput.print(line: formatter.row(camera, board, at: .wallClock()))
        }
    }

    private func draw(_ board: FleetBoard, _ formatter: FleetFormatter, _ note: String, on terminal: Terminal) {
        let size = terminal.size ?? TerminalSize(columns: 80, rows: 24)
        let summary = String("\(formatter.summary(board)) · \(note.printable) · q quits".prefix(size.columns))
        let rows = formatter.table(board, columns: size.columns, rows: size.rows - 2, at: .wallClock())
        terminal.show(lines: [summary, ""] + rows)
    }
}
