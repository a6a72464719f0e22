import Testing

@testable import Frames

@Suite("Loss report")
struct LossReportTests {
    /// Tries a second apart, each failing for the reason of a letter, or streaming; the result marks what is reported.
    func reported(_ tries: String) -> String {
        let reasons: [Character: SourceFailure.Reason] = [
            "u": .unplugged, "n": .notFound, "p": .permissionDenied, "b": .busy, "d": .driverError,
        ]
        var report = LossReport(settling: 3_000_000_000, reasons: [.permissionDenied, .busy])
        var second: Int64 = 0
        return String(
            tries.map { letter -> Character in
                second += 1
                guard let reason = reasons[letter] else {
                    report.streaming()
                    return "."
                }
                let failure = SourceFailure(reason: reason, description: "")
                return report.isDue(failure, now: second * 1_000_000_000) ? letter : "-"
            }
        )
    }

    @Test(
        "reports a loss once, and again only what stays and a person must remove",
        arguments: [
            ("unnnnnnnn", "u--------"),
            ("unnn.uuu", "u---.u--"),
            ("upppppp", "u---p--"),
            ("unppnppn", "u-------"),
            ("ubbbbpppp", "u---b---p"),
            ("dddnnn", "d-----"),
            ("pppppp", "p-----"),
        ]
    )
    func reports(_ tries: String, _ expected: String) {
        #expect(reported(tries) == expected)
    }
}
