import ArgumentParser
import FaceMessages
import MQTT
import TerminalPictures

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows each face with its last seconds, live, and the events below.",
        discussion: """
            One row for each face: how long it has been seen by this command, its smile, its open eyes, its looks and its angles, each \
            as a line of bars for the last seconds (half a second a bar) and as its value now. Angles reach from −45° to \
            45°. A face that is hidden stands back. All cameras that are there, unless --camera or --topic name some. q ends it.

            Examples:
              facet top
              facet top --camera porch
              facet top --source /dev/video0
            """
    )

    @OptionGroup var live: SourceOptions

    func run() async throws {
        guard StandardOutput.isTerminal else {
            throw CommandFailure("facet top needs a terminal: use `facet watch` for lines, `facet report` for a page")
        }
        let subscriber = try await live.subscriber(command: "top", topics: Topic.followed, all: true)
        let terminal = try Terminal(format: .cells)
        defer { terminal.release() }
        let formatter = TopFormatter(hasColors: StandardOutput.hasColors)
        var top = TopState()
        try await subscriber.follow(terminal, every: .milliseconds(100)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                top.advance(to: input.seconds)
                let (note, size) = (live.source ?? input.connection, TerminalSize.current)
                terminal.show(
                    lines: formatter.lines(top, columns: size.columns, rows: size.rows, at: input.seconds, note: note)
                )
                return true
            }
            top.take(occurrence, at: input.seconds)
            return true
        }
    }
}

extension Terminal {
    /// Shows lines from the top of the screen instead of what is there.
    func show(lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        show(Array(("\u{1B}[H" + text + "\u{1B}[J").utf8))
    }
}
