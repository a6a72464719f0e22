import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import DaemonCore

@Suite("Pipeline", .timeLimit(.minutes(5)))
struct PipelineTests {
    @Test("a face leaves while frames come that cannot be decoded")
    func undecodable() async throws {
        let portrait = Array(try Data(contentsOf: URL(filePath: "/usr/local/share/facet/grace_hopper.jpg")))
        let mailbox = FrameMailbox(policy: .every(capacity: 100))
        for index in 0..<10 { mailbox.put(.frame(.jpeg(portrait, index: index))) }
        for index in 10..<40 { mailbox.put(.frame(.jpeg([0xFF, 0xD8, 0, 0], index: index))) }
        mailbox.put(.ended(.finished))
        let recorder = MessageRecorder()
        let publisher = Publisher(
            encoder: MessageEncoder(camera: "camera", boot: ULID.make(at: Timestamp(nanoseconds: 0))),
            wanted: [.enter, .leave, .count],
            ledger: MemoryLedger(),
            sinks: [recorder]
        )
        let meter = PipelineMeter()
        let status = StatusBoard(publisher: publisher, version: "0", isDetecting: true, logger: .silent)
        let pipeline = try Pipeline(
            settings: Settings(),
            publisher: publisher,
            status: status,
            meter: meter,
            nextFaceID: FaceID(rawValue: 1)
        )
        _ = try pipeline.run(mailbox)
        status.stopped()
        let told = await recorder.messages(until: .status)
        #expect(told.map(\.topic) == [.enter, .count, .leave, .count, .status])
        #expect(told.last { $0.topic == .count }?.text == "0")
        #expect(meter.frames.dropped == ["corrupt": 30])
    }
}

/// The bytes of a JPEG; nobody writes to them after `init`.
private final class Bytes: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init(_ bytes: [UInt8]) {
        base = .allocate(capacity: bytes.count)
        base.initialize(from: bytes, count: bytes.count)
    }

    deinit { base.deallocate() }
}

extension Frame {
    /// A JPEG as a camera of 30 frames a second delivers it.
    fileprivate static func jpeg(_ bytes: [UInt8], index: Int) -> Frame {
        let memory = Bytes(bytes)
        return Frame(
            stamp: FrameStamp(
                frame: index,
                time: Timestamp(nanoseconds: 0).advanced(bySeconds: Double(index) / 30),
                mediaTime: Double(index) / 30
            ),
            captured: .now,
            size: FrameSize(width: 512, height: 600),
            format: .jpeg,
            planes: (Plane(base: memory.base, bytesPerRow: bytes.count), nil, nil),
            lease: memory
        )
    }
}
