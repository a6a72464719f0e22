import FaceMetadata
import Logging
import Testing

@testable import DaemonCore

@Suite("Log lines")
struct ConsoleLogHandlerTests {
    @Test("time, level, what happened, then the particulars in order")
    func line() {
        let line = ConsoleLogHandler.line(
            level: .warning,
            message: "camera lost",
            metadata: ["reason": "unplugged", "detail": "no such device"],
            time: Timestamp(nanoseconds: 0)
        )
        #expect(line == "1970-01-01T00:00:00.000000Z warning: camera lost: detail=no such device reason=unplugged\n")
    }

    @Test("the journal gets the level as a number and no time")
    func journal() {
        let line = ConsoleLogHandler.line(level: .error, message: "broken", metadata: [:], time: nil)
        #expect(line == "<3>broken\n")
    }

    @Test("text from outside neither begins a line nor controls a terminal")
    func hostile() {
        let line = ConsoleLogHandler.line(
            level: .info,
            message: "zone switched",
            metadata: ["zone": "x\u{1B}]0;y\u{7}\n<0>forged"],
            time: nil
        )
        #expect(line == "<6>zone switched: zone=x ]0;y  <0>forged\n")
    }

    @Test("of each kind one line a minute is written, with the number of those that were not")
    func limiting() {
        let limiter = LogLimiter()
        let start = ContinuousClock.now
        #expect(limiter.admit("a", now: start) == 0)
        for second in 1..<60 { #expect(limiter.admit("a", now: start + .seconds(second)) == nil) }
        #expect(limiter.admit("b", now: start + .seconds(1)) == 0)
        #expect(limiter.admit("a", now: start + .seconds(60)) == 59)
        #expect(limiter.admit("a", now: start + .seconds(119)) == nil)
        #expect(limiter.admit("a", now: start + .seconds(120)) == 1)
    }
}
