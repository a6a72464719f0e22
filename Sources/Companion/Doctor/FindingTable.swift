import FaceMessages

/// Findings as a table for people.
package struct FindingTable {
    private let hasColors: Bool

    package init(hasColors: Bool) { self.hasColors = hasColors }

    package func lines(_ findings: [Finding]) -> [String] {
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
