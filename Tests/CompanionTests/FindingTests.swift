import Testing

@testable import Companion

@Suite("Findings of doctor as lines")
struct FindingTests {
    @Test("a name that others made up makes no line longer than the others need")
    func longNames() {
        var findings = (0..<1000).map { _ in Finding.works("daemon", "streams") }
        for index in findings.indices { findings[index].camera = "front/faces" }
        findings[0].camera = String(repeating: "x", count: 60_000)
        let lines = findings.lines(hasColors: false)
        #expect(lines.reduce(0) { $0 + $1.count } < 100_000)
        #expect(lines[0].contains("xxx… daemon"))
    }
}
