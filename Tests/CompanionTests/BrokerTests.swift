import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Frames
import Glibc
import Logging
import MQTT
import MediaFiles
import OverlayRendering
import System
import Testing

@testable import Companion

/// Tests of the commands with a real broker, to which a scripted daemon publishes.
@Suite("Commands with a broker", .serialized, .enabled(if: MosquittoBroker.isInstalled), .timeLimit(.minutes(5)))
struct BrokerTests {
    private func options(
        _ broker: MosquittoBroker,
        topic: String? = nil,
        camera: String? = nil
    ) -> BrokerAccess {
        var access = BrokerAccess()
        access.mqtt = "mqtt://127.0.0.1:\(broker.port)"
        access.topic = topic.map { [$0] } ?? []
        access.camera = camera
        return access
    }

    /// Has a broker keep the status of two cameras.
    private func publishTwoCameras(_ broker: MosquittoBroker) async throws {
        let daemon = try daemon(broker)
        for (name, state) in [("front", DaemonStatus.CameraState.streaming), ("porch", .lost)] {
            var status = DaemonStatus(state: .online, cameraState: state)
            status.version = facetVersion
            // One that need not give signs of life.
            status.publish = []
            let message = MessageEncoder(camera: name, boot: ULID.make(at: .wallClock())).status(status)
            publish(message, daemon, under: "site1/\(name)/faces")
        }
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        // The status `stopped` comes after all other messages.
        _ = await daemon.stop()
    }

    private func daemon(_ broker: MosquittoBroker) throws -> BrokerConnection {
        let connection = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try connection.start()
        return connection
    }

    private func publish(_ message: Message, _ connection: BrokerConnection, under base: String = "faces") {
        let mqtt = MQTTMessage(
            topic: message.topic.name(under: base),
            payload: message.payload,
            qos: .atLeastOnce,
            retain: message.topic.isRetained
        )
        message.topic.isEvent ? connection.publish(event: mqtt) : connection.publish(state: mqtt)
    }

    @Test("an event that the broker kept, or that comes again, is passed over")
    func eventsOnce() async throws {
        let broker = try await MosquittoBroker()
        func publish(_ ids: [String], retained: Bool = false) async throws {
            let daemon = try daemon(broker)
            for id in ids {
                let message = encoder.event(event(.smile).event, id: id, seq: 1, latency: nil)
                let received = MQTTMessage(topic: "faces/smile", payload: message.payload, retain: retained)
                retained ? daemon.publish(state: received) : daemon.publish(event: received)
            }
            _ = await daemon.occurrences.first { $0.state?.isConnected == true }
            #expect(await daemon.stop().unsentEvents == 0)
        }
        try await publish(["E1"], retained: true)
        let subscriber = try Subscriber(options(broker), command: "watch", topics: [.smile], patterns: ["faces"])
        let (messages, continuation) = AsyncStream.makeStream(of: CameraMessage.self)
        let forwarding = Task {
            await subscriber.forward { if case .message(let message) = $0 { continuation.yield(message) } }
        }
        var iterator = messages.makeAsyncIterator()
        guard case .malformed(let error) = await iterator.next()?.content else {
            Issue.record("the retained event was taken")
            return
        }
        #expect(error == .retained(topic: .smile))
        try await publish(["E1", "E1", "E2", "E1", "E3"])
        for id in ["E1", "E2", "E3"] {
            guard case .decoded(.event(let event)) = await iterator.next()?.content else {
                Issue.record("no event came")
                return
            }
            #expect(event.id == id)
        }
        await subscriber.stop()
        await forwarding.value
    }

    @Test("detect is done when the daemon has confirmed it")
    func detect() async throws {
        let broker = try await MosquittoBroker()
        let daemon = try daemon(broker)
        try daemon.subscribe("faces/detect/set")
        publish(encoder.status(DaemonStatus(state: .online, cameraState: .streaming)), daemon)
        publish(encoder.detectState(true), daemon)
        let commands = Task {
            var commands: [String] = []
            for await case .message(let message) in daemon.occurrences {
                let command = String(decoding: message.payload, as: UTF8.self)
                commands.append(command)
                publish(encoder.detectState(command == "ON"), daemon)
            }
            return commands
        }
        var said: [String] = []
        for isOn in [false, false, true] {
            said.append(try await DetectCommand.send(options(broker), isOn: isOn))
        }
        #expect(said == ["detection is off", "detection is already off", "detection is on"])
        _ = await daemon.stop()
        // The second camera was already in that state.
        #expect(await commands.value == ["OFF", "ON"])
    }

    @Test("doctor tells of the broker and the daemon, and what mends them")
    func doctor() async throws {
        let broker = try await MosquittoBroker()
        let (_, without) = await BrokerExamination.findings(options(broker))
        #expect(without.map(\.subject) == ["broker", "daemon", "preview"])
        #expect(without.map(\.verdict) == [.works, .fails, .remark])

        let daemon = try daemon(broker)
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.version = facetVersion
        status.attention = [.tooDark]
        status.publish = []
        publish(encoder.status(status), daemon)
        publish(encoder.metadata([], at: stamp(0)), daemon)
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        let (isStreaming, with) = await BrokerExamination.findings(options(broker))
        #expect(isStreaming)
        #expect(with.map(\.subject) == ["broker", "daemon", "attention", "preview"])
        #expect(with.map(\.verdict) == [.works, .works, .remark, .remark])
        _ = await daemon.stop()
        await broker.terminate()
        let (_, gone) = await BrokerExamination.findings(options(broker))
        #expect(gone.map(\.verdict) == [.fails] && gone.first?.remedy != nil)
    }

    @Test("doctor tells from a preview picture that the camera hangs upside down")
    func upsideDown() throws {
        var portrait = try PictureFile.load("/usr/local/share/facet/astronaut.png")
        let encoder = try JPEGEncoder(quality: 90)
        #expect(BrokerExamination.orientation(of: try encoder.encode(portrait)) == nil)
        portrait.orientation = .down
        let finding = BrokerExamination.orientation(of: try encoder.encode(portrait))
        #expect(finding?.verdict == .remark && finding?.remedy?.contains("3 instead of 1") == true)
        #expect(BrokerExamination.orientation(of: [1, 2, 3]) == nil)
    }

    @Test("doctor waits for a picture of a camera that streams if its daemon publishes any, and for its figures")
    func completeness() {
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        for publishes in [true, false] {
            status.publish = publishes ? [.previewJPEG] : []
            var table = CameraTable()
            _ = table.take(occurrence(encoder.status(status)))
            func isComplete(_ hasPicture: Bool) -> Bool {
                table.cameras.allSatisfy { BrokerExamination.isComplete($1, hasPicture: hasPicture) }
            }
            #expect(!isComplete(true))
            _ = table.take(occurrence(encoder.stats(figures)))
            #expect(isComplete(true) && isComplete(false) != publishes)
        }
    }

    @Test("doctor looks at each camera that a pattern matches, and says which one a finding is about")
    func doctorOfSeveral() async throws {
        let broker = try await MosquittoBroker()
        try await publishTwoCameras(broker)
        let (isStreaming, findings) = await BrokerExamination.findings(options(broker, topic: "site1/+/faces"))
        #expect(isStreaming)
        #expect(findings.map(\.subject) == ["broker", "daemon", "daemon"])
        #expect(findings.map(\.camera) == [nil, "site1/front/faces", "site1/porch/faces"])
        #expect(findings.map(\.verdict) == [.works, .works, .fails])
        let lines = findings.lines(hasColors: false)
        #expect(lines.contains { $0.hasPrefix("✓  site1/front/faces daemon  'front' version") }, "\(lines)")
        let (_, none) = await BrokerExamination.findings(options(broker, topic: "site2/+/faces"))
        #expect(none.map(\.verdict) == [.works, .fails])
        #expect(none.last?.detail.contains("site2/+/faces/status") == true)
    }

    @Test("of several cameras one is chosen by its name or its base, and an error lists them")
    func oneOfSeveral() async throws {
        let broker = try await MosquittoBroker()
        try await publishTwoCameras(broker)
        let several = options(broker, topic: "site1/+/faces")
        for name in ["porch", "site1/porch/faces"] {
            let chosen = options(broker, topic: "site1/+/faces", camera: name)
            #expect(try await chosen.chosenBase(command: "view") == "site1/porch/faces")
        }
        let one = options(broker, topic: "+/porch/faces")
        #expect(try await one.chosenBase(command: "view") == "site1/porch/faces")
        let failure = await #expect(throws: CommandFailure.self) {
            try await several.chosenBase(command: "view")
        }
        #expect(
            failure?.description
                == "2 cameras under site1/+/faces at 127.0.0.1:\(broker.port): porch (site1/porch/faces, lost), "
                + "front (site1/front/faces, streaming); choose one with --camera front"
        )
        let unknown = await #expect(throws: CommandFailure.self) {
            try await options(broker, topic: "site1/+/faces", camera: "attic").chosenBase(command: "view")
        }
        #expect(unknown?.description.hasPrefix("no camera 'attic' under site1/+/faces at ") == true)
        let nowhere = options(broker, topic: "site2/+/faces")
        await #expect(throws: CommandFailure.self) {
            try await nowhere.chosenBase(command: "view")
        }
    }

    @Test("the command to choose a camera is safe to paste, whatever the camera is called")
    func hostileName() async throws {
        let broker = try await MosquittoBroker()
        let daemon = try daemon(broker)
        for base in ["a/faces", "b'; b/faces"] {
            let status = DaemonStatus(state: .online, cameraState: .streaming)
            publish(MessageEncoder(camera: "x; rm -rf ~", boot: "R").status(status), daemon, under: base)
        }
        publish(
            MessageEncoder(camera: "$(y)", boot: "R").status(DaemonStatus(state: .online, cameraState: .streaming)),
            daemon,
            under: "0/faces"
        )
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        _ = await daemon.stop()
        for (camera, remedy) in [(nil, "--camera '$(y)'"), ("x; rm -rf ~", "--topic a/faces")] {
            let failure = await #expect(throws: CommandFailure.self) {
                try await options(broker, topic: "+/faces", camera: camera).chosenBase(command: "view")
            }
            #expect(failure?.description.hasSuffix("; choose one with \(remedy)") == true, "\(failure as Any)")
        }
    }

    @Test("a camera whose daemon has ended is passed over, and can be forgotten; one that runs cannot")
    func stopped() async throws {
        let broker = try await MosquittoBroker()
        let daemon = try daemon(broker)
        publish(
            MessageEncoder(camera: "door", boot: "RUN0").status(DaemonStatus(state: .stopped)),
            daemon,
            under: "a/faces"
        )
        publish(MessageEncoder(camera: "door", boot: "RUN0").metadata([], at: stamp(0)), daemon, under: "a/faces")
        publish(encoder.status(DaemonStatus(state: .online, cameraState: .streaming)), daemon)
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        #expect(try await options(broker).chosenBase(command: "record") == "faces")
        await #expect(throws: CommandFailure.self) { try await FleetWatch.forget("front", options(broker)) }
        #expect(try await FleetWatch.forget("door", options(broker)).hasPrefix("forgot a/faces"))
        let left = try Subscriber(
            options(broker),
            command: "test",
            topics: [.status, .metadata],
            patterns: ["a/faces"]
        )
        #expect(try await CameraTable.listen(to: left).cameras.isEmpty)
        #expect(broker.log.contains("'homeassistant/device/facet-a-faces/config', ... (0 bytes)"))
        _ = await daemon.stop()
    }

    @Test(
        "a command that hears of no daemon says so",
        arguments: [["watch", "smile"], ["calibrate"]]
    )
    func silence(arguments: [String]) async throws {
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let program = try await ChildProcess(BuildProducts.program("facet"), arguments + ["--mqtt", url])
        while program.isRunning, !program.output.contains("no camera under ") { await Task.yield() }
        #expect(program.output.contains("start facetd, or name its base with --topic"), "\(program.output)")
        program.signal(SIGTERM)
        await program.waitUntilEnded()
    }

    @Test("events that a server did not take make an error of watch")
    func lostEvents() async throws {
        let broker = try await MosquittoBroker()
        let nobody = "http://127.0.0.1:\(try LoopbackPort.free())/"
        let program = try await ChildProcess(
            BuildProducts.program("facet"),
            ["watch", "smile", "--count", "2", "--post", nobody, "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
        )
        try await broker.waitForLog(" 0 faces/smile")
        let daemon = try daemon(broker)
        for id in ["E1", "E2"] { publish(encoder.event(event(.smile).event, id: id, seq: 1, latency: nil), daemon) }
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1 && program.output.contains("2 events did not get through"), "\(program.output)")
        _ = await daemon.stop()
    }

    @Test(
        "what writes once ends where there is no broker, and says what is missing",
        arguments: [
            ["fleet", "--once"], ["view", "--camera", "porch"], ["snapshot", "-o", "/tmp/a.png"],
        ]
    )
    func noBroker(arguments: [String]) async throws {
        let port = try LoopbackPort.free()
        let program = try await ChildProcess(
            BuildProducts.program("facet"),
            arguments + ["--mqtt", "mqtt://127.0.0.1:\(port)"]
        )
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1)
        #expect(program.output.contains("cannot reach the broker: "), "\(program.output)")
        #expect(program.output.contains("127.0.0.1:\(port)") && program.output.contains("--mqtt"))
    }

    @Test("fleet --once waits for the figures of a camera that streams")
    func fleetOnce() async throws {
        let broker = try await MosquittoBroker()
        let daemon = try daemon(broker)
        var old = DaemonStatus(state: .online, cameraState: .streaming)
        old.time = Timestamp.wallClock().advanced(bySeconds: -900)
        publish(encoder.status(old), daemon)
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        let program = try await ChildProcess(
            BuildProducts.program("facet"),
            ["fleet", "--once", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
        )
        try await broker.waitForLog(" 0 faces/stats")
        publish(encoder.stats(figures), daemon)
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        #expect(program.output.contains("front (faces)  streaming      –   29.5"), "\(program.output)")
        #expect(!program.output.contains("15 min"))
        _ = await daemon.stop()
    }

    @Test("without --topic the camera is taken that is there, wherever that is; several are named")
    func whicheverIsThere() async throws {
        let broker = try await MosquittoBroker()
        #expect(try await options(broker).chosenBase(command: "view") == "faces")
        let daemon = try daemon(broker)
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.version = facetVersion
        status.publish = []
        publish(MessageEncoder(camera: "porch", boot: "RUN1").status(status), daemon, under: "porch/faces")
        _ = await daemon.occurrences.first { $0.state?.isConnected == true }
        #expect(try await options(broker).chosenBase(command: "view") == "porch/faces")
        let (isStreaming, findings) = await BrokerExamination.findings(options(broker))
        #expect(isStreaming && findings.map(\.subject) == ["broker", "daemon", "preview"])
        publish(encoder.status(status), daemon)
        _ = await daemon.stop()
        let failure = await #expect(throws: CommandFailure.self) {
            try await options(broker).chosenBase(command: "view")
        }
        #expect(failure?.description.contains("front (faces, streaming), porch (porch/faces, streaming)") == true)
        #expect(failure?.description.hasSuffix("choose one with --camera front") == true)
        #expect(try await options(broker, camera: "porch").chosenBase(command: "view") == "porch/faces")
        #expect(try await options(broker).bases(command: "watch") == ["faces", "+/faces"])
        #expect(try await options(broker, camera: "porch").bases(command: "watch") == ["porch/faces"])
    }

    @Test("a follower hears messages in order, and of the connection's loss and return")
    func follows() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try Subscriber(options(broker), command: "test", topics: Topic.viewed, patterns: ["faces"])
        let (stream, continuation) = AsyncStream.makeStream(of: Subscriber.Occurrence.self)
        let forwarding = Task { await subscriber.forward { continuation.yield($0) } }
        defer { forwarding.cancel() }
        func next() async -> Subscriber.Occurrence? { await stream.first { _ in true } }
        while let occurrence = await next() {
            if case .connection(.connected) = occurrence { break }
        }
        let daemon = try daemon(broker)
        var model = LiveModel()
        // Retained, so it comes whether the subscription took effect before or after.
        publish(encoder.metadata([face()], at: stamp(1)), daemon)
        while model.scene.faces.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 0) }
        #expect(model.scene.faces.count == 1)
        await broker.kill()
        while !model.scene.faces.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 1) }
        #expect(!model.connection.isConnected)
        try await broker.start()
        while !model.connection.isConnected, let occurrence = await next() { _ = model.take(occurrence, at: 2) }
        // The daemon tells its state again on every connection.
        while model.scene.faces.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 3) }
        #expect(model.scene.faces.count == 1)
        _ = await daemon.stop()
        await subscriber.stop()
    }
}
