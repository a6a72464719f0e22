/// One finding of `facet doctor`.
package struct Finding: Encodable {
    package enum Verdict: String, Encodable {
        case works
        /// Everything works, but something is worth knowing.
        case remark
        case fails

        fileprivate func mark(_ hasColors: Bool) -> String {
            switch self {
            case .works: "✓".styled("1;32", if: hasColors)
            case .remark: "!".styled("1;33", if: hasColors)
            case .fails: "✗".styled("1;31", if: hasColors)
            }
        }
    }

    package var subject: String
    /// The topic base of the camera that the finding is about; nil for the machine, or if only one camera was examined.
    package var camera: String?
    package var verdict: Verdict
    package var detail: String
    package var remedy: String?

    package static func works(_ subject: String, _ detail: String) -> Finding {
        Finding(subject: subject, verdict: .works, detail: detail)
    }

    package static func remark(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .remark, detail: detail, remedy: remedy)
    }

    static func fails(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .fails, detail: detail, remedy: remedy)
    }

    /// All findings: about the broker and the daemons and, with `ofMachine`, about this machine and the terminal.
    package static func all(_ broker: BrokerAccess, ofMachine: Bool) async -> [Finding] {
        let (isStreaming, found) = await BrokerExamination.findings(broker)
        guard ofMachine else { return found }
        // A daemon that streams either has the camera, or uses a clip or a stream instead.
        let machine = MachineExamination(isStreaming: isStreaming).findings()
        do throws(TerminalError) {
            let picture = try TerminalPicture(environment: ProcessInfo.processInfo.environment)
            return machine + found + [.works("terminal", "facet view shows pictures as \(picture.format.rawValue)")]
        } catch {
            return machine + found + [.remark("terminal", error.description)]
        }
    }
}

extension [Finding] {
    /// The findings as a table for the terminal.
    package func lines(hasColors: Bool) -> [String] {
        let labels = map { ($0.camera.map { $0.shownName + " " } ?? "") + $0.subject }
        let width = labels.map(\.cells).max() ?? 0
        return zip(self, labels).flatMap { finding, label in
            let row = "\(finding.verdict.mark(hasColors))  \(label.padding(to: width))  \(finding.detail.printable)"
            return [row] + (finding.remedy.map { ["".padding(to: 4 + width) + "  → \($0)"] } ?? [])
        }
    }
}
