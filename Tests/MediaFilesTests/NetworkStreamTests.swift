import FaceMetadata
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Network streams", .serialized, .enabled(if: LocalServer.isPossible), .timeLimit(.minutes(5)))
struct NetworkStreamTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("a clip on a server is played like a file")
    func clip() throws {
        try TestPicture.writeClip(scratch.path("clip.mp4"))
        let server = try LocalServer(.files, directory: scratch.directory)
        let recording = try Recording.of("http://user:secret@127.0.0.1:\(server.port)/clip.mp4?token=1")
        #expect(recording.isFinished && recording.stamps.count == 30, "\(recording.losses)")
        #expect(recording.stream?.name == "http://127.0.0.1:\(server.port)/clip.mp4")
    }

    @Test("what is not there is told once, and tried again until it is stopped")
    func notThere() throws {
        let server = try LocalServer(.files, directory: scratch.directory)
        let source = try ClipSource("http://user:secret@127.0.0.1:\(server.port)/none.mp4")
        let mailbox = FrameMailbox(policy: .newest)
        Thread.detachNewThread { source.run(into: mailbox) }
        guard case .lost(let failure)? = mailbox.next() else {
            Issue.record("no loss was told")
            return
        }
        #expect(failure.reason == "unreachable" && failure.description.contains("/none.mp4"))
        #expect(!failure.description.contains("secret"))
        source.stop()
        guard case .ended(.stopped)? = mailbox.next() else {
            Issue.record("the source did not end")
            return
        }
    }

    @Test("stop ends a read from a server that is silent")
    func silence() throws {
        let server = try LocalServer(.silence, directory: scratch.directory)
        var options = ClipSource.Options()
        options.openTimeout = 3600
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = FrameMailbox(policy: .newest)
        Thread.detachNewThread { source.run(into: mailbox) }
        // The server says that the request came: the source is reading now.
        #expect(server.readLine() == "request")
        source.stop()
        guard case .ended(.stopped)? = mailbox.next() else {
            Issue.record("the source did not end")
            return
        }
    }

    @Test("a silent server is a loss when the time is over")
    func timeout() throws {
        let server = try LocalServer(.silence, directory: scratch.directory)
        var options = ClipSource.Options()
        options.openTimeout = 0.2
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = FrameMailbox(policy: .newest)
        Thread.detachNewThread { source.run(into: mailbox) }
        guard case .lost(let failure)? = mailbox.next() else {
            Issue.record("no loss was told")
            return
        }
        #expect(failure.description.contains("no answer in time"))
        source.stop()
    }

    @Test("a live stream that breaks off is lost, comes back, and its stamps go on growing")
    func reconnects() throws {
        let picture = TestPicture()
        try PictureWriter.write(
            pixels: picture.bgra,
            bytesPerRow: picture.size.width * 4,
            size: picture.size,
            to: scratch.path("live.jpg")
        )
        let server = try LocalServer(.live, directory: scratch.directory)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live")
        let mailbox = FrameMailbox(policy: .every(capacity: 4))
        Thread.detachNewThread { source.run(into: mailbox) }
        var stamps: [FrameStamp] = []
        var told = ""
        while let event = mailbox.next() {
            switch event {
            case .streaming: told += "s"
            case .lost: told += "l"
            case .ended: told += "e"
            case .frame(let frame): stamps.append(frame.stamp)
            }
            if told.hasPrefix("sls"), told.count == 3, stamps.count > 12 { source.stop() }
            if told.hasSuffix("e") { break }
        }
        #expect(told.hasPrefix("sls") && told.hasSuffix("e"))
        #expect(stamps.map(\.frame) == Array(0..<stamps.count))
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0.mediaTime < $1.mediaTime })
    }
}
