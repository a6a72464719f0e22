import FacetTestSupport
import Foundation
import Logging
import MQTT
import Testing

/// System calls that fail in the running daemon, one kind after the other (see Faults/faults.c).
@Suite(
    "When system calls fail",
    .enabled(
        if: MosquittoBroker.isInstalled && LocalServer.isPossible,
        "mosquitto or python3 is missing: run deploy/setup"
    ),
    .disabled("has not passed on a real run yet"),
    .timeLimit(.minutes(10))
)
struct FaultTests {
    /// What fails: the numbers are those in faults.c.
    enum Call: Int32 { case read = 1, write, sync, socket }
    enum Place: String { case outbox, broker, stream, anywhere }

    struct Fault: CustomTestStringConvertible, Sendable {
        var call: Call
        var place: Place
        var error: Int32
        var times: Int32 = 1

        var testDescription: String { "\(call) at the \(place): \(String(cString: strerror(error))), \(times) times" }
    }

    private let directory: TemporaryDirectory
    private let broker: MosquittoBroker
    private let camera: LocalServer
    private let control: String

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await MosquittoBroker()
        try FileManager.default.copyItem(
            atPath: "/usr/local/share/facet/grace_hopper.jpg",
            toPath: directory.file("live.jpg")
        )
        camera = try LocalServer(.camera, directory: URL(filePath: directory.path))
        control = directory.file("control")
        try Data(count: 16).write(to: URL(filePath: control))
    }

    private func start() async throws -> ChildProcess {
        let shim = directory.file("faults.so")
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Faults/faults.c").path
        let compiler = try await ChildProcess("/usr/bin/env", ["clang", "-shared", "-fPIC", "-O1", "-o", shim, source])
        await compiler.waitUntilEnded()
        try #require(compiler.exitStatus == 0, "\(compiler.output)")
        return try await BuiltProgram.start(
            "facetd",
            [
                "--source", "http://127.0.0.1:\(camera.port)/live", "--mqtt", "mqtt://127.0.0.1:\(broker.port)",
                "--print",
            ]
                + [
                    "--set", "outbox.path=\(directory.file("outbox/outbox.sqlite"))", "--set",
                    "events.maxAge=unlimited",
                ],
            environment: ["LD_PRELOAD": shim, "FACET_FAULTS": control]
        )
    }

    /// Lets the next calls of that kind fail.
    private func arm(_ fault: Fault) throws {
        let kind: Int32 =
            switch fault.place {
            case .outbox: -1
            case .broker: Int32(broker.port)
            case .stream: Int32(camera.port)
            case .anywhere: 0
            }
        let numbers = [fault.call.rawValue, kind, fault.error, fault.times]
        // In place: the daemon has mapped this file.
        let file = try FileHandle(forUpdating: URL(filePath: control))
        try file.write(contentsOf: numbers.withUnsafeBytes { Data($0) })
        try file.close()
    }

    /// How many calls are still to fail.
    private var remaining: Int32 {
        get throws {
            try Data(contentsOf: URL(filePath: control)).withUnsafeBytes { $0.load(fromByteOffset: 12, as: Int32.self) }
        }
    }

    private func subscriber() async throws -> BrokerConnection {
        var settings = BrokerSettings(host: broker.host, port: broker.port, clientID: "watcher")
        settings.incomingCapacity = 10_000
        let subscriber = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        try subscriber.subscribe("faces/#")
        try subscriber.start()
        try await broker.waitForLog("watcher 0 faces/#")
        return subscriber
    }

    /// The events that a subscriber got until the daemon's last status.
    private func events(from subscriber: BrokerConnection) async throws -> [PrintedMessage.Payload] {
        var events: [PrintedMessage.Payload] = []
        for await message in subscriber.incoming {
            guard let payload = try? JSONDecoder().decode(PrintedMessage.Payload.self, from: Data(message.payload))
            else {
                continue
            }
            if payload.seq != nil { events.append(payload) }
            if message.topic == "faces/status", payload.state == "stopped" { break }
        }
        _ = await subscriber.stop()
        return events
    }

    /// All events were printed and received once, in order, and each face that entered left.
    private func check(_ daemon: ChildProcess, _ received: [PrintedMessage.Payload]) throws {
        #expect(daemon.result.status == 0, "\(daemon.output.suffix(2000))")
        #expect(try remaining <= 0, "the fault was never met")
        let printed = daemon.messages.filter { $0.payload?.seq != nil }
        #expect(printed.compactMap { $0.payload?.seq } == Array(1...printed.count))
        #expect(Set(received.compactMap(\.seq)) == Set(1...printed.count))
        let enters = printed.filter { $0.topic == "faces/enter" }.compactMap { $0.payload?.faceID }
        let leaves = printed.filter { $0.topic == "faces/leave" }.compactMap { $0.payload?.faceID }
        #expect(!enters.isEmpty && enters.sorted() == leaves.sorted())
    }

    @Test(
        "the stream's reads: faces leave, the status says so, and all comes back",
        arguments: [
            Fault(call: .read, place: .stream, error: EIO), Fault(call: .read, place: .stream, error: ENOMEM),
            Fault(call: .read, place: .stream, error: ECONNRESET, times: 3),
        ]
    )
    func stream(fault: Fault) async throws {
        let daemon = try await start()
        try await daemon.waitForOutput("\"event_type\":\"enter\"")
        let subscriber = try await subscriber()
        try arm(fault)
        try await daemon.waitForOutput("\"reason\":\"camera_lost\"")
        try await daemon.waitForOutput("\"cameraState\":\"lost\"")
        try await daemon.waitForOutput("\"faceID\":2")
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
        let received = try await events(from: subscriber)
        // The first enter came before the subscriber.
        try check(daemon, received + daemon.messages.compactMap(\.payload).filter { $0.seq == 1 })
        #expect(daemon.messages.contains { $0.payload?.cameraState == "lost" })
    }

    @Test(
        "the outbox's and the broker's calls: no event is lost",
        arguments: [
            Fault(call: .write, place: .outbox, error: ENOSPC, times: 4),
            Fault(call: .write, place: .outbox, error: EIO),
            Fault(call: .sync, place: .outbox, error: EIO), Fault(call: .write, place: .broker, error: EPIPE),
            Fault(call: .read, place: .broker, error: ECONNRESET), Fault(call: .read, place: .broker, error: ENOMEM),
        ]
    )
    func delivery(fault: Fault) async throws {
        let subscriber = try await subscriber()
        let daemon = try await start()
        try await daemon.waitForOutput("\"event_type\":\"enter\"")
        try await daemon.waitForOutput("\"payload\":\"ON\"")
        try await broker.waitForLog("faces/detect/set")
        try arm(fault)
        subscriber.publish(event: MQTTMessage(topic: "faces/detect/set", payload: Array("OFF".utf8)))
        try await daemon.waitForOutput("\"reason\":\"disabled\"")
        subscriber.publish(event: MQTTMessage(topic: "faces/detect/set", payload: Array("ON".utf8)))
        try await daemon.waitForOutput("\"faceID\":2")
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
        try check(daemon, try await events(from: subscriber))
    }
}
