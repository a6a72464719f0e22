/// The output of commands: results go to standard output, messages to the user at the terminal to standard error.
package enum Console {
    package static let isTerminal = isatty(STDOUT_FILENO) == 1
    /// Whether to show progress, which needs a terminal at standard error.
    package static let showsProgress = isatty(STDERR_FILENO) == 1

    /// Whether output may be coloured: on a terminal, unless NO_COLOR is set (no-color.org) or TERM is `dumb`.
    package static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// What is done when standard output has no reader any more; by default the usual end of such a program.
    static let readerLost = Mutex<@Sendable () -> Void> { endProcess(by: SIGPIPE) }

    /// Writes all bytes at once, so that readers get whole lines. Ends the program if standard output fails.
    package static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        // Without standard output a command is of no use. Without messages on standard error it still is.
        guard code != 0, descriptor == STDOUT_FILENO else { return }
        if code == EPIPE { return readerLost.withLock(\.self)() }
        note("cannot write to standard output: \(String(cString: strerror(code)))")
        exit(EXIT_FAILURE)
    }

    /// Writes a line, in which control characters are masked.
    package static func print(line: String) { print(styled: line.printable) }

    /// Writes text with styles or line breaks, into which outside text may come only if it is printable.
    package static func print(styled text: String) { write(Array((text + "\n").utf8)) }

    package static func print(prettyPrinted json: some Sequence<UInt8>) throws {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let value = try JSONSerialization.jsonObject(with: Data(json))
        let text = try JSONSerialization.data(withJSONObject: value, options: options)
        // JSONSerialization writes control characters unescaped.
        write(text.split(separator: UInt8(ascii: "\n")).flatMap { JSONText.onOneLine(Array($0)) + "\n".utf8 })
    }

    /// Writes a message to the user to standard error. Secrets and control characters are masked.
    package static func note(_ line: String) {
        write(Array(("facet: " + line.withoutSecrets.printable + "\n").utf8), to: STDERR_FILENO)
    }

    /// Replaces the current line of the terminal at standard error.
    package static func progress(_ line: String) { write(Array(("\r" + line + "\u{1B}[K").utf8), to: STDERR_FILENO) }
}
