import FaceMessages
import FaceMetadata
import FacetTestSupport
import Frames
import Logging
import Testing

@testable import DaemonCore
@testable import FacetKit

@Suite("Pipeline")
struct PipelineTests {
    @Test("metadata has the fields that are wanted, and what changes in the others sends none")
    func fields() async throws {
        let messages = MessageRecorder()
        var settings = Settings()
        settings.metadata.fields = [.distance]
        let pipeline = try pipeline(settings, messages)
        for (index, distance) in [1.0, 1.0, 2.0].enumerated() {
            var update = update(with: truncatedJPEG(30 * index))
            update.frame = nil
            let bounds = NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2)
            var face = FaceObject(faceID: FaceID(rawValue: 1), bounds: bounds, confidence: 1)
            (face.looking, face.gaze) = (index == 1, Gaze(yaw: 20 * Double(index), pitch: 0))
            face.distance = distance
            update.faces = [face]
            pipeline.pipeline.publish(update)
        }
        pipeline.publisher.finish()
        let sent = try await messages.takeAll().filter { $0.topic == .metadata }.map { message in
            guard case .metadata(let metadata) = try MessageDecoder().decode(message.payload, on: .metadata) else {
                return nil as FaceObject?
            }
            return metadata.faces.first
        }
        #expect(sent.map { $0?.distance } == [1, 2])
        #expect(sent.allSatisfy { $0?.looking == nil && $0?.gaze == nil })
    }

    @Test("detection that is switched off before the session begins is reported as off, once")
    func switchedOffAtOnce() async throws {
        let messages = MessageRecorder()
        let (pipeline, publisher) = try pipeline(Settings(), messages)
        var update = update(with: truncatedJPEG(0))
        (update.state, update.frame, update.stamp) = (.paused, nil, nil)
        pipeline.publish(update)
        publisher.finish()
        let sent = await messages.takeAll()
        #expect(sent.filter { $0.topic == .detectState }.map { String(decoding: $0.payload, as: UTF8.self) } == ["OFF"])
        let last = try #require(sent.last { $0.topic == .status })
        guard case .status(let status, _) = try MessageDecoder().decode(last.payload, on: .status) else {
            throw CancellationError()
        }
        #expect(status.detect == false)
    }

    private func pipeline(
        _ settings: Settings,
        _ messages: MessageRecorder,
        logger: Logger = .silent
    ) throws -> (pipeline: Pipeline, publisher: Publisher) {
        let publisher = try Publisher(
            origin: MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            wanted: settings.publish,
            ledger: Ledger(),
            sinks: [messages]
        )
        let pipeline = try Pipeline(
            settings: settings,
            status: StatusReporter(publisher: publisher, isDetecting: true, logger: .silent),
            meter: SessionMeter(),
            logger: logger
        )
        return (pipeline, publisher)
    }

    @Test("a frame that cannot be encoded for the preview is counted, and logged once a minute with the reason")
    func failedPreview() async throws {
        let messages = MessageRecorder()
        let log = LogRecorder()
        var settings = Settings()
        settings.preview.enabled = true
        let (pipeline, publisher) = try pipeline(settings, messages, logger: log.logger)
        for index in 0..<2 { pipeline.publish(update(with: truncatedJPEG(index))) }
        publisher.finish()
        #expect(publisher.failedPreviews == 2)
        #expect(log.lines.count { $0.contains("preview") } == 1)
        #expect(await messages.takeAll().allSatisfy { $0.topic != .previewJPEG })
    }

    private func update(with frame: Frame) -> FaceUpdate {
        var update = FaceUpdate(state: .starting, stamp: frame.stamp)
        update.frame = frame
        return update
    }

    /// The first two bytes of a JPEG.
    private func truncatedJPEG(_ index: Int) -> Frame {
        let memory = Bytes([0xFF, 0xD8])
        return Frame(
            stamp: FrameStamp(frame: index, time: Timestamp(nanoseconds: 0), mediaTime: Double(index) / 30),
            captured: .now,
            size: FrameSize(width: 64, height: 48),
            format: .jpeg,
            planes: Frame.Planes(Frame.Plane(base: memory.base, bytesPerRow: 2)),
            lease: memory
        )
    }
}

/// The bytes of a frame; they do not change after `init`.
private final class Bytes: @unchecked Sendable {
    let base: UnsafeMutablePointer<UInt8>

    init(_ bytes: [UInt8]) {
        base = .allocate(capacity: bytes.count)
        base.initialize(from: bytes, count: bytes.count)
    }

    deinit { base.deallocate() }
}
