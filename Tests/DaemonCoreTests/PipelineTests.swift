import FaceMessages
import FaceMetadata
import FacetTestSupport
import Frames
import Testing

@testable import DaemonCore
@testable import FacetKit

@Suite("Pipeline")
struct PipelineTests {
    @Test("a frame that cannot be encoded for the preview is counted, and logged once a minute with the reason")
    func failedPreview() async throws {
        let (messages, log) = (MessageRecorder(), LogRecorder())
        var settings = Settings()
        settings.preview.enabled = true
        let publisher = try Publisher(
            encoder: MessageEncoder(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            wanted: settings.publish,
            ledger: Ledger(),
            sinks: [messages]
        )
        let pipeline = try Pipeline(
            settings: settings,
            publisher: publisher,
            status: StatusReporter(publisher: publisher, version: "0", isDetecting: true, logger: .silent),
            meter: SessionMeter(),
            logger: log.logger
        )
        for index in 0..<2 { pipeline.publish(update(with: truncatedJPEG(index))) }
        publisher.finish()
        #expect(publisher.failedPreviews == 2)
        #expect(log.lines.count { $0.contains("preview") } == 1)
        #expect(await messages.takeAll().allSatisfy { $0.topic != .previewJPEG })
    }

    private func update(with frame: Frame) -> FaceUpdate {
        FaceUpdate(
            state: .starting,
            stamp: frame.stamp,
            faces: [],
            events: [],
            attention: [],
            counts: FrameCounts(),
            landmarks: [:],
            frame: frame
        )
    }

    /// The first two bytes of a JPEG.
    private func truncatedJPEG(_ index: Int) -> Frame {
        let memory = Bytes([0xFF, 0xD8])
        return Frame(
            stamp: FrameStamp(frame: index, time: Timestamp(nanoseconds: 0), mediaTime: Double(index) / 30),
            captured: .now,
            size: FrameSize(width: 64, height: 48),
            format: .jpeg,
            planes: (Frame.Plane(base: memory.base, bytesPerRow: 2), nil, nil),
            lease: memory
        )
    }
}

/// Bytes that a frame holds; not written to after `init`.
private final class Bytes: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init(_ bytes: [UInt8]) {
        base = .allocate(capacity: bytes.count)
        base.initialize(from: bytes, count: bytes.count)
    }

    deinit { base.deallocate() }
}
