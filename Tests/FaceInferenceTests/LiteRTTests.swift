import Foundation
import Testing

@testable import FaceInference

@Suite("LiteRT's line on standard error")
struct LiteRTTests {
    @Test("is left out, and what others write meanwhile is not")
    func announcement() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        LiteRT.withoutAnnouncement(on: descriptor) {
            for line in ["before", LiteRT.announcement, "after: " + LiteRT.announcement] {
                let text = Array((line + "\n").utf8)
                #expect(write(descriptor, text, text.count) == text.count)
            }
        }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text == "before\nafter: " + LiteRT.announcement + "\n")
    }
}
