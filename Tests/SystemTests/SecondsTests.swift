import Testing

@testable import System

@Suite("times in words")
struct SecondsTests {
    @Test(
        "ages are in the unit that suits them",
        arguments: [(-3.0, "0 s"), (59.9, "59 s"), (61, "1 min"), (7200, "2 h"), (2e5, "2 d")]
    )
    func ages(seconds: Double, text: String) { #expect(Seconds.inOneUnit(seconds) == text) }

    @Test("a time has as many decimals as its part of a second, and none is infinite")
    func rounding() {
        #expect(Seconds.text(2.46) == "2.5 s")
        #expect(Seconds.text(2.456, part: 100) == "2.46 s")
        #expect(Seconds.text(.infinity) == "?")
    }

    @Test("a limit is written as it was set")
    func limits() {
        #expect(Seconds.text(Duration.seconds(5)) == "5 s")
        #expect(Seconds.text(Duration.milliseconds(2500)) == "2.5 s")
    }

    @Test("a moment of a clip", arguments: [(5.0, "0:05"), (65.5, "1:05.5"), (3723, "1:02:03")])
    func moments(seconds: Double, text: String) { #expect(Seconds.clock(seconds) == text) }
}
