import Foundation

/// The output of commands: results to standard output, notes for the person at the terminal to standard error.
package enum Console {
    package static let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Characters in a line of the terminal.
    package static var columns: Int { TerminalSize.current.columns }
    /// Whether progress is shown: standard error is a terminal.
    package static let showsProgress = isatty(STDERR_FILENO) == 1

    /// Whether output may be coloured: on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb.
    package static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes all bytes at once, so that a reader of the pipe sees whole lines as they come.
    package static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        // A command whose output cannot go where it was sent is of no use; one that cannot say something besides is.
        guard code != 0, descriptor == STDOUT_FILENO else { return }
        if code == EPIPE { endOfPipe() }
        note("cannot write to standard output: \(String(cString: strerror(code)))")
        exit(EXIT_FAILURE)
    }

    package static func print(line: String) { write(Array((line + "\n").utf8)) }

    package static func print(prettyPrinted json: some Sequence<UInt8>) throws {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let value = try JSONSerialization.jsonObject(with: Data(json))
        let text = try JSONSerialization.data(withJSONObject: value, options: options)
        print(line: String(decoding: text, as: UTF8.self))
    }

    /// Writes a line to standard error for the person at the terminal; it may quote others' texts.
    package static func note(_ line: String) {
        write(Array(("facet: " + line.withoutSecrets.printable + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes over the line of the terminal in which the cursor is.
    package static func progress(_ line: String) { write(Array(("\r" + line + "\u{1B}[K").utf8), to: STDERR_FILENO) }

    /// Ends the program when its output has no reader, as programs in pipelines end: by SIGPIPE, even if it is ignored.
    private static func endOfPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }
}
