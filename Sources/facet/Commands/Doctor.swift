import ArgumentParser
import FaceMessages
import Foundation
import TerminalPictures

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what works, what does not, and the command that fixes it.",
        discussion: """
            Looks at this machine (cameras, models, outbox, clock), then at the broker and the daemons that should be \
            online there. With the preview on and a face in the picture it also says whether the camera hangs upside \
            down. Exit status 0 if all works (✓, or ! with a remark), 1 if something does not (✗).

            Examples:
              facet doctor
              facet doctor --mqtt mqtts://me@broker.example --no-machine
            """
    )

    @Flag(inversion: .prefixedNo, help: "Look at this machine too, not only at the broker.")
    var machine = true

    @Flag(help: "Write it as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let (isStreaming, found) = await BrokerExamination.findings(broker)
        // A daemon that streams has its camera, or a clip or a stream in its place.
        var findings = machine ? MachineExamination(isStreaming: isStreaming).findings() : []
        findings += found
        if machine { findings.append(Self.terminal()) }
        if json {
            try StandardOutput.print(prettyPrinted: JSONEncoder().encode(findings))
        } else {
            let table = FindingTable(hasColors: StandardOutput.hasColors)
            for line in table.lines(findings) { StandardOutput.print(line: line) }
        }
        if findings.contains(where: { $0.verdict == .fails }) { throw ExitCode.failure }
    }

    private static func terminal() -> Finding {
        do throws(TerminalError) {
            let picture = try TerminalPicture(environment: ProcessInfo.processInfo.environment)
            return .works("terminal", "facet view shows pictures as \(picture.format.rawValue)")
        } catch {
            return .remark("terminal", error.description)
        }
    }
}

/// One finding of `facet doctor`.
struct Finding: Encodable {
    enum Verdict: String, Encodable {
        case works
        /// It works, but something is worth knowing.
        case remark
        case fails
    }

    var subject: String

    /// What the topics of the camera begin with that it is about, where several were looked at.
    var camera: String?
    var verdict: Verdict
    var detail: String
    var remedy: String?

    static func works(_ subject: String, _ detail: String) -> Finding {
        Finding(subject: subject, verdict: .works, detail: detail)
    }

    static func remark(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .remark, detail: detail, remedy: remedy)
    }

    static func fails(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .fails, detail: detail, remedy: remedy)
    }

    fileprivate var label: String { (camera.map { $0.printable + " " } ?? "") + subject }
}

/// Findings as a table for people.
struct FindingTable {
    var hasColors: Bool

    func lines(_ findings: [Finding]) -> [String] {
        let width = findings.map(\.label.count).max() ?? 0
        return findings.flatMap { finding -> [String] in
            let subject = finding.label.padding(to: width)
            let row = "\(mark(finding.verdict))  \(subject)  \(finding.detail.printable)"
            guard let remedy = finding.remedy else { return [row] }
            return [row, String(repeating: " ", count: 2 + 2 + width) + "  → \(remedy)"]
        }
    }

    private func mark(_ verdict: Finding.Verdict) -> String {
        let (sign, color) =
            switch verdict {
            case .works: ("✓", "32")
            case .remark: ("!", "33")
            case .fails: ("✗", "31")
            }
        return sign.styled("1;\(color)", if: hasColors)
    }
}
