import FaceMessages
import FacetKit
import FacetTestSupport
import Frames
import Testing

@testable import DaemonCore

@Suite("Service manager", .serialized, .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    @Test("is told over a path as over an abstract name", arguments: [false, true])
    func notifications(isAbstract: Bool) async throws {
        let receiver = try DatagramReceiver(isAbstract: isAbstract)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": receiver.name]))
        manager.ready()
        manager.status("camera lost:\nno such device")
        manager.alive()
        manager.stopping()
        let told = await receiver.datagrams(until: "STOPPING=1")
        #expect(told == ["READY=1", "STATUS=camera lost: no such device", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test(
        "there is none without its socket, or with a name that is none",
        arguments: [nil, "", "notify", "@" + String(repeating: "x", count: 200)]
    )
    func noManager(name: String?) {
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": name].compactMapValues(\.self)) == nil)
    }

    @Test("that is gone again is nobody's trouble")
    func goneManager() throws {
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"]))
        manager.ready()
    }

    @Test(
        "wants signs of life if it says so, and to this process",
        arguments: [
            (nil, nil, nil), ("30000000", nil, .seconds(30)), ("30000000", "7", .seconds(30)),
            ("30000000", "8", nil), ("soon", nil, nil), ("0", nil, nil), ("-5", nil, nil),
            ("9223372036854775807", nil, nil),
        ] as [(String?, String?, Duration?)]
    )
    func interval(microseconds: String?, process: String?, expected: Duration?) throws {
        let environment = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": microseconds, "WATCHDOG_PID": process]
        let manager = try #require(ServiceManager(environment: environment.compactMapValues(\.self), process: 7))
        #expect(manager.watchdogInterval == expected)
    }

    @Test("gets signs of life")
    func watchdog() async throws {
        let receiver = try DatagramReceiver()
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": receiver.name]))
        let service = RepeatingService(interval: .milliseconds(10)) { manager.alive() }
        let running = Task { await service.run() }
        for _ in 1...3 { #expect(await receiver.datagrams(until: "WATCHDOG=1") == ["WATCHDOG=1"]) }
        running.cancel()
        await running.value
    }

    @Test("is left without a sign while a frame is stuck, and the log says so once")
    func stuckFrame() {
        let log = LogRecorder()
        let watchdog = Watchdog(interval: .seconds(10), logger: log.logger)
        let times: [Duration] = [.zero, .seconds(9), .seconds(10), .seconds(15), .zero, .seconds(11)]
        #expect(times.map(watchdog.isAlive) == [true, true, false, false, true, false])
        #expect(log.lines.count == 2)
    }

    @Test("time with a frame runs from when it is taken to when it is done with")
    func timeWithFrame() {
        let meter = SessionMeter()
        #expect(meter.timeWithFrame == .zero)
        meter.beginFrame()
        #expect(meter.timeWithFrame > .zero)
        meter.endFrame()
        #expect(meter.timeWithFrame == .zero)
    }

    @Test("is told of the camera, and of the end")
    func conditions() async throws {
        let receiver = try DatagramReceiver()
        let publisher = try Publisher(
            origin: MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA"),
            wanted: [],
            ledger: Ledger(),
            sinks: []
        )
        let board = StatusReporter(
            publisher: publisher,
            manager: ServiceManager(environment: ["NOTIFY_SOCKET": receiver.name]),
            isDetecting: true,
            logger: .silent
        )
        board.announce()
        board.ready()
        let failure = SourceFailure(reason: .notFound, description: "no camera is there")
        board.publish(FaceUpdate(state: .lost(failure)))
        board.publish(FaceUpdate(state: .ended))
        let told = await receiver.datagrams(until: "STOPPING=1")
        #expect(
            told == [
                "STATUS=camera starting", "READY=1", "STATUS=camera lost: no camera is there", "STOPPING=1",
            ]
        )
    }
}
