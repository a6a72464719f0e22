import FaceMessages
import Foundation

extension String {
    /// The text in lines of a width, broken between words; a word that is longer is cut.
    func wrapped(to width: Int) -> [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word.count <= width ? String(word) : word.prefix(max(0, width - 1)) + "…")
            }
        }
    }

    /// The text within a width, cut between words if it is longer.
    func cut(to width: Int) -> String {
        guard count > width else { return self }
        let line = wrapped(to: width - 2).first ?? ""
        return String((line.hasSuffix("…") ? line : line + " …").prefix(max(0, width)))
    }

    /// The text with spaces behind it up to a width, or before it.
    func padding(to width: Int, alignsRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return alignsRight ? blanks + self : self + blanks
    }

    /// The text in a style of ECMA-48 (SGR) where the terminal shows styles; as it is without a style.
    func styled(_ style: String?, if hasColors: Bool) -> String {
        guard hasColors, let style else { return self }
        return "\u{1B}[\(style)m\(self)\u{1B}[0m"
    }
}

extension Int {
    /// The number with its noun: 1 face, 2 faces.
    func counted(_ noun: String) -> String { "\(self) \(self.noun(noun))" }

    /// The noun for that number: face, faces.
    func noun(_ noun: String) -> String { self == 1 ? noun : noun + "s" }
}

enum StandardOutput {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether output may be coloured: on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb.
    static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes all bytes at once, so that a reader of the pipe sees whole lines as they come.
    static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return failed(errno, descriptor)
            }
        }
    }

    static func print(line: String) {
        write(Array((line + "\n").utf8))
    }

    static func print(prettyPrinted json: some Sequence<UInt8>) throws {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let value = try JSONSerialization.jsonObject(with: Data(json))
        let text = try JSONSerialization.data(withJSONObject: value, options: options)
        print(line: String(decoding: text, as: UTF8.self))
    }

    /// Writes a line for the person at the terminal, not for the next program in the pipe; it may quote what others sent.
    static func note(_ line: String) {
        write(Array(("facet: " + line.printable + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes over the line in which the cursor of the person's terminal stands.
    static func progress(_ line: String) {
        write(Array(("\r" + line + "\u{1B}[K").utf8), to: STDERR_FILENO)
    }

    /// A command whose output cannot go where it was sent is of no use; one that cannot say something besides is.
    private static func failed(_ code: Int32, _ descriptor: Int32) {
        guard descriptor == STDOUT_FILENO else { return }
        if code == EPIPE { endOfPipe() }
        note("cannot write to standard output: \(String(cString: strerror(code)))")
        exit(EXIT_FAILURE)
    }

    /// No reader is left: ends as programs in pipelines do, by the signal, which a library may have switched off.
    private static func endOfPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }
}
