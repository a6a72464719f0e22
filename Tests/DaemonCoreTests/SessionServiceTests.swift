import FaceMessages
import FacetKit
import FacetTestSupport
import Foundation
import Testing

@testable import DaemonCore

/// The real source, models and thread; only the messages go to the test.
@Suite("Session service", .serialized, .timeLimit(.minutes(5)))
struct SessionServiceTests {
    private let messages = MessageRecorder()
    private let service: SessionService
    private let settings: Settings

    init() throws {
        var settings = Settings()
        settings.camera.source = "/usr/local/share/facet/astronaut.png"
        settings.camera.options.loops = true
        self.settings = settings
        let publisher = try Publisher(
            origin: MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            wanted: settings.publish,
            ledger: Ledger(),
            sinks: [messages]
        )
        service = SessionService(
            settings: settings,
            session: try FaceSession(source: settings.source, options: settings.sessionOptions),
            status: StatusReporter(publisher: publisher, isDetecting: true, logger: .silent),
            logger: .silent
        )
    }

    @Test("switched off and on at once, the camera is on, and subscribers know it")
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

    @Test("off is published once the camera is closed, on opens it again")
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
        missing.camera.source = "/nonexistent/clip.mp4"
        service.apply(missing)
        let told = await messages.messages(until: .enter)
        #expect(told.contains { $0.topic == .leave && $0.text.contains("restart") })
        #expect(told.last?.text.contains(#""faceID":2"#) == true)
        service.end()
        try await run
    }

    @Test("settings that do not work leave detection as it was")
    func rejectedSwitch() async throws {
        async let run: Void = service.run()
        _ = await messages.messages(until: .enter)
        var wrong = settings
        wrong.detection.enabled = false
        service.apply(wrong)
        _ = await messages.messages(until: .detectState) { $0 == "OFF" }
        wrong.detection.enabled = true
        wrong.camera.source = "/nonexistent/clip.mp4"
        service.apply(wrong)
        _ = await messages.messages(until: .detectState) { $0 == "ON" }
        // The camera that does not work was tried; the switch that came with it is undone too.
        let last = await messages.messages(until: .detectState) { $0 == "OFF" }
        #expect(!last.contains { $0.topic == .enter })
        service.end()
        try await run
    }

    @Test("settings that never worked end the service with the reason")
    func neverWorked() async throws {
        var missing = settings
        missing.camera.source = "/nonexistent/clip.mp4"
        service.apply(missing)
        await #expect { try await service.run() } throws: { "\($0)".contains("/nonexistent/clip.mp4") }
        #expect(await messages.messages(until: .status) { $0.contains("stopped") }.last != nil)
    }

    @Test("reloaded settings that say the same, or concern something else, leave the camera open and the face there")
    func sameSettings() async throws {
        async let run: Void = service.run()
        _ = await messages.messages(until: .enter)
        service.apply(settings)
        var other = settings
        other.metadata.changes.position = 0.5
        other.tracking.patience = 1
        other.preview.enabled = true
        service.apply(other)
        // The preview shows that the new settings have been taken.
        let before = await messages.messages(until: .previewJPEG)
        service.setDetection(false)
        let after = await messages.messages(until: .leave)
        #expect(!before.contains { $0.topic == .leave || $0.text.contains("starting") })
        #expect(after.last?.text.contains("disabled") == true)
        service.end()
        try await run
    }

    @Test("cancelled, as when another service of the daemon throws, it ends with a leave")
    func cancelling() async throws {
        let task = Task { try await service.run() }
        _ = await messages.messages(until: .enter)
        task.cancel()
        try await task.value
        #expect(await messages.messages(until: .leave).last?.text.contains("shutdown") == true)
    }

    @Test("switched off, the status comes before the empty set, and so it does at the end")
    func statusFirst() async throws {
        async let run: Void = service.run()
        _ = await messages.messages(until: .enter)
        service.setDetection(false)
        let off = await messages.messages(until: .count) { $0 == "0" }.map(\.topic)
        #expect(off.suffix(6) == [.leave, .today, .status, .detectState, .metadata, .count])
        service.setDetection(true)
        _ = await messages.messages(until: .enter)
        service.end()
        let end = await messages.messages(until: .count) { $0 == "0" }
        #expect(end.suffix(5).map(\.topic) == [.leave, .today, .status, .metadata, .count])
        #expect(end.last { $0.topic == .status }?.text.contains("stopped") == true)
        try await run
    }

    @Test("what cannot be printed ends the service with that error")
    func failing() async throws {
        let run = Task { try await service.run() }
        _ = await messages.messages(until: .enter)
        service.end(PrintError(code: ENOSPC))
        await #expect(throws: PrintError.self) { try await run.value }
    }
}
