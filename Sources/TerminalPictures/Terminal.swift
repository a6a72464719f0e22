import CTerminal
import System

/// The program's terminal, set up for pictures. It is restored however the program ends.
///
/// Keys arrive as they are pressed. Ctrl-C and Ctrl-Z keep their effects. Only one instance may be in use at a time.
package final class Terminal: Sendable {
    /// The control sequence that switches to the alternate screen, hides the cursor and ends line wrapping.
    private static let enter: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"

    /// The control sequence that ends a synchronized update and undoes what `enter` changed.
    private static let leave: StaticString = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// The sequence `leave` with a command that removes kitty's pictures, which other terminals might show as text.
    private static let leaveKitty: StaticString =
        "\u{1B}[?2026l\u{1B}_Ga=d,q=2\u{1B}\\\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Sets up the terminal for a picture format. Throws `TerminalError` unless input and output are a terminal.
    package init(format: TerminalFormat) throws(TerminalError) {
        let leave = format == .kitty ? Self.leaveKitty : Self.leave
        guard isatty(STDIN_FILENO) == 1,
            // The texts are constants, whose addresses stay valid.
            facet_terminal_take(STDOUT_FILENO, Self.enter.utf8Start, leave.utf8Start)
        else { throw .noTerminal(errno) }
    }

    deinit { release() }

    /// Restores the terminal; further calls have no effect.
    package func release() { facet_terminal_release() }

    /// Whether the program was suspended since the last call, so that everything must be redrawn.
    package var wasResumed: Bool { facet_terminal_was_resumed() }

    /// Writes control sequences. A terminal with synchronized updates (mode 2026) shows their effect all at once.
    package func show(_ bytes: [UInt8]) {
        let update = Array("\u{1B}[?2026h".utf8) + bytes + Array("\u{1B}[?2026l".utf8)
        _ = update.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    }

    /// Waits for the next byte of keyboard input; nil if the terminal is gone.
    package func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            // The program was suspended or the terminal resized; every other error is the end.
            guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
        }
    }
}

package struct TerminalSize: Hashable, Sendable {
    package var columns: Int
    package var rows: Int
    /// The size of a character cell in pixels, as reported by the terminal or assumed.
    package var cell: FrameSize

    /// The size of the terminal at standard output; 80 columns and 24 rows if it is unknown.
    package static var current: TerminalSize {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        guard isKnown else { return TerminalSize(columns: 80, rows: 24) }
        let width = Int(size.ws_xpixel)
        let height = Int(size.ws_ypixel)
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row), pixelWidth: width, pixelHeight: height)
    }

    package var withoutLastRow: TerminalSize { TerminalSize(columns: columns, rows: max(1, rows - 1), cell: cell) }

    /// The size in pixels of a drawing that fills the terminal: about 4×8 per cell if pictures are made of characters.
    package func drawingSize(for format: TerminalFormat) -> FrameSize {
        guard format == .cells else { return FrameSize(width: columns * cell.width, height: rows * cell.height) }
        let height = max(1, Int((4 * Double(cell.height) / Double(cell.width)).rounded()))
        return FrameSize(width: columns * 4, height: rows * height)
    }
}

extension TerminalSize {
    /// Makes a size from columns, rows, and the terminal's width and height in pixels, 0 if it does not report them.
    package init(columns: Int, rows: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
        let reported = FrameSize(width: pixelWidth / max(1, columns), height: pixelHeight / max(1, rows))
        let isReported = min(reported.width, reported.height) >= 2
        // The cells of most fonts are twice as high as wide.
        self.init(columns: columns, rows: rows, cell: isReported ? reported : FrameSize(width: 8, height: 16))
    }
}

/// Why a terminal cannot show pictures.
package struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    static let noPicture = TerminalError(description: "no picture could be made for this terminal")

    static func noTerminal(_ code: Int32) -> TerminalError {
        let what = "standard input and output must be a terminal (\(String(cString: strerror(code))))"
        return TerminalError(description: "\(what); for a file use `facet snapshot` or `facet record`")
    }
}
