import FaceMessages
import FacetTestSupport
import Foundation
import Testing

@testable import DaemonCore

/// The real source, models and thread; only the messages go to the test.
@Suite("Camera service", .timeLimit(.minutes(5)))
struct CameraServiceTests {
    private let messages = MessageRecorder()
    private let service: CameraService
    private let settings: Settings

    init() {
        var settings = Settings()
        settings.camera.device = "/usr/local/share/facet/astronaut.png"
        settings.clip.loop = true
        self.settings = settings
        let ledger = MemoryLedger()
        let publisher = Publisher(
            encoder: MessageEncoder(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            wanted: settings.publish,
            ledger: ledger,
            sinks: [messages]
        )
        service = CameraService(
            settings: settings,
            publisher: publisher,
            status: StatusBoard(publisher: publisher, version: "0", isDetecting: true, logger: .silent),
            meter: PipelineMeter(),
            ledger: ledger,
            logger: .silent
        )
    }

    @Test("whoever switches off and on at once finds the camera on, and is told so")
    func offAndOn() async throws {
        async let run: Void = service.run()
        var told = await messages.messages(until: .enter)
        service.setDetection(false)
        service.setDetection(true)
        told += await messages.messages(until: .leave) { $0.contains("disabled") }
        told += await messages.messages(until: .enter)
        #expect(told.last { $0.topic == .detectState }?.text == "ON")
        service.end()
        try await run
    }

    @Test("off closes the camera before it is told, on opens it again")
    func switching() async throws {
        async let run: Void = service.run()
        _ = await messages.messages(until: .enter)
        service.setDetection(true)
        service.setDetection(false)
        let off = await messages.messages(until: .detectState)
        #expect(off.last?.text == "OFF")
        #expect(off.contains { $0.topic == .leave && $0.text.contains("disabled") })
        #expect(off.last { $0.topic == .status }?.text.contains(#""cameraState":"disabled""#) == true)
        service.setDetection(true)
        let on = await messages.messages(until: .enter)
        #expect(on.filter { $0.topic == .detectState }.map(\.text) == ["ON"])
        service.end()
        try await run
    }

    @Test("settings that are valid but do not work are given up for those that did")
    func fallingBack() async throws {
        async let run: Void = service.run()
        _ = await messages.messages(until: .enter)
        var missing = settings
        missing.camera.device = "/nonexistent/clip.mp4"
        service.apply(missing)
        let told = await messages.messages(until: .enter)
        #expect(told.contains { $0.topic == .leave && $0.text.contains("restart") })
        #expect(told.last?.text.contains(#""faceID":2"#) == true)
        service.end()
        try await run
    }

    @Test("settings that never worked end the service with the reason")
    func neverWorked() async throws {
        var missing = settings
        missing.camera.device = "/nonexistent/clip.mp4"
        service.apply(missing)
        await #expect { try await service.run() } throws: { "\($0)".contains("/nonexistent/clip.mp4") }
        #expect(await messages.messages(until: .status) { $0.contains("stopped") }.last != nil)
    }
}
