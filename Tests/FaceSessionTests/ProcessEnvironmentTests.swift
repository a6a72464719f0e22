import Foundation
import Testing

@testable import FaceSession

@Suite("Process environment")
struct ProcessEnvironmentTests {
    /// How many bytes of files are resident as parts of this process.
    private func residentFileBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) * 1024
    }

    @Test("gives back most pages of programs and libraries, which are read again when they are used")
    func release() throws {
        let before = try residentFileBytes()
        ProcessEnvironment.releaseUnusedMemory()
        let after = try residentFileBytes()
        #expect(after < before * 3 / 4, "\(before) before, \(after) after")
    }
}
