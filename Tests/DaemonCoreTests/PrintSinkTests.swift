import FaceMessages
import Foundation
import Synchronization
import Testing

@testable import DaemonCore

@Suite("Printing messages", .serialized, .timeLimit(.minutes(5)))
struct PrintSinkTests {
    private let message = Message(topic: .count, payload: Array("1".utf8))

    @Test("a reader that reads gets every line")
    func reading() throws {
        let pipe = Pipe()
        let sink = PrintSink(base: "faces", descriptor: pipe.fileHandleForWriting.fileDescriptor)
        sink.beginEnding()
        for _ in 1...3 { sink.send(message) }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 3)
        #expect(text.hasPrefix(#"{"topic":"faces/count""#))
    }

    @Test("a reader that has gone, or a full disk, is reported once with its reason", arguments: [EPIPE, ENOSPC])
    func failing(reason: Int32) throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let handle = reason == EPIPE ? pipe.fileHandleForWriting : full
        let sink = PrintSink(base: "faces", descriptor: handle.fileDescriptor)
        let errors = Mutex<[PrintError]>([])
        sink.send(message)
        sink.onFailure { error in errors.withLock { $0.append(error) } }
        for _ in 1...3 { sink.send(message) }
        #expect(errors.withLock(\.self) == [PrintError(code: reason)])
        withExtendedLifetime((pipe, full)) {}
    }

    @Test("a reader that has stopped reading does not keep the daemon from ending")
    func stalled() {
        let pipe = Pipe()
        let sink = PrintSink(base: "faces", descriptor: pipe.fileHandleForWriting.fileDescriptor)
        sink.beginEnding()
        // More bytes than fit into a pipe: to write them would block for ever.
        let large = Message(topic: .metadata, payload: [UInt8](repeating: 0x20, count: 4_000_000))
        sink.send(large)
        sink.send(message)
        withExtendedLifetime(pipe) {}
    }
}
