/// Why a command cannot do its work, and what the user can do.
package struct CommandFailure: Error, CustomStringConvertible {
    private let reason: String
    private let remedy: String?

    /// Makes a failure with a reason of one paragraph, in which secrets and control characters are masked.
    package init(_ reason: String, remedy: String? = nil) {
        self.reason = reason.withoutSecrets.printable
        self.remedy = remedy
    }

    /// Makes a failure with the text of another module's error.
    package init(_ error: any Error) {
        self = error as? CommandFailure ?? CommandFailure(lines: "\(error)".split(separator: "\n"))
    }

    /// Makes a failure with a reason of several lines, in which secrets and control characters are masked.
    package init(lines: some Sequence<some StringProtocol>) {
        reason = lines.map(\.printable).joined(separator: "\n").withoutSecrets
        remedy = nil
    }

    package var description: String { reason + (remedy.map { "; \($0)" } ?? "") }

    func finding(_ subject: String) -> Finding { .fails(subject, reason, remedy: remedy) }
}
