import FaceMessages

/// Why a command cannot do its work: what was tried, on what, why it failed, what to do.
package struct CommandFailure: Error, CustomStringConvertible {
    private let reasons: [String]
    private let remedy: String?

    /// Makes a failure from a paragraph for people, which may quote what a broker or a daemon said.
    package init(_ reason: String, remedy: String? = nil) {
        (reasons, self.remedy) = ([reason.printable], remedy)
    }

    /// An error of another module, which says the same.
    package init(_ error: any Error) {
        self = error as? CommandFailure ?? CommandFailure(lines: "\(error)".split(separator: "\n"))
    }

    /// Makes a failure from several lines for people.
    package init(lines: some Sequence<some StringProtocol>) {
        (reasons, remedy) = (lines.map(\.printable), nil)
    }

    package var description: String { reasons.joined(separator: "\n") + (remedy.map { "; \($0)" } ?? "") }

    func finding(_ subject: String) -> Finding {
        .fails(subject, reasons.joined(separator: "\n"), remedy: remedy)
    }
}
