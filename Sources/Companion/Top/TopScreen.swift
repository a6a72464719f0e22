import TerminalPictures

/// Shows each face with its last seconds on the terminal.
package enum TopScreen {
    package static func show(_ subscriber: Subscriber) async throws {
        let terminal = try Terminal(format: .cells)
        defer { terminal.release() }
        let formatter = TopFormatter(hasColors: StandardOutput.hasColors)
        var top = TopState()
        try await subscriber.follow(terminal, every: .milliseconds(100)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                top.advance(to: input.seconds)
                let note = subscriber.isLocal ? subscriber.address : input.connection
                let size = TerminalSize.current
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
    package func show(lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        show(Array(("\u{1B}[H" + text + "\u{1B}[J").utf8))
    }
}
