import FaceMessages

/// One finding of `facet doctor`.
struct Finding: Equatable {
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
}

extension Finding: Encodable {}

extension Finding {
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
