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
}
