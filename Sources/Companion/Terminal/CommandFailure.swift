/// Why a command cannot do its work: what was tried, on what, why it failed, what to do.
package struct CommandFailure: Error, CustomStringConvertible {
    private let reason: String
    private let remedy: String?

    /// Makes a failure from a paragraph for people, which may quote what a broker or a daemon said.
    package init(_ reason: String, remedy: String? = nil) {
        self.reason = reason.withoutSecrets.printable
        self.remedy = remedy
    }

    /// Takes over the text of another module's error.
    package init(_ error: any Error) {
        self = error as? CommandFailure ?? CommandFailure(lines: "\(error)".split(separator: "\n"))
    }

    /// Makes a failure from several lines for people.
    package init(lines: some Sequence<some StringProtocol>) {
        reason = lines.map(\.printable).joined(separator: "\n").withoutSecrets
        remedy = nil
    }

    package var description: String { reason + (remedy.map { "; \($0)" } ?? "") }

    func finding(_ subject: String) -> Finding { .fails(subject, reason, remedy: remedy) }
}
