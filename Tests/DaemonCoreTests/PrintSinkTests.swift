import FaceMessages
import Foundation
import Synchronization
import Testing

@testable import DaemonCore

@Suite("Printing messages", .timeLimit(.minutes(5)))
struct PrintSinkTests {
    private let message = Message(topic: .count, payload: Array("1".utf8))

    @Test("a reader that reads gets every line")
    func reading() throws {
        let pipe = Pipe()
        let sink = PrintSink(base: "faces", descriptor: pipe.fileHandleForWriting.fileDescriptor) {}
        sink.hurry()
        for _ in 1...3 { sink.send(message) }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 3)
        #expect(text.hasPrefix(#"{"topic":"faces/count""#))
    }

    @Test("a reader that has gone is told of once")
    func gone() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let calls = Atomic(0)
        let sink = PrintSink(base: "faces", descriptor: pipe.fileHandleForWriting.fileDescriptor) {
            calls.add(1, ordering: .relaxed)
        }
        try pipe.fileHandleForReading.close()
        for _ in 1...3 { sink.send(message) }
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test("a reader that has stopped reading does not keep the daemon from ending")
    func stalled() {
        let pipe = Pipe()
        let sink = PrintSink(base: "faces", descriptor: pipe.fileHandleForWriting.fileDescriptor) {}
        sink.hurry()
        // More than any pipe holds: it would wait for ever.
        let large = Message(topic: .metadata, payload: [UInt8](repeating: 0x20, count: 4_000_000))
        sink.send(large)
        sink.send(message)
        withExtendedLifetime(pipe) {}
    }
}
