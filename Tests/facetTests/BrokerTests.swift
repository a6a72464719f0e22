import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Logging
import MQTT
import OverlayRendering
import Testing

@testable import facet

/// The commands against a real broker, with a scripted daemon at its other end.
@Suite("Commands with a broker", .enabled(if: MosquittoBroker.isInstalled), .timeLimit(.minutes(5)))
struct BrokerTests {
    private func options(_ broker: MosquittoBroker) throws -> BrokerOptions {
        try BrokerOptions.parse(["--mqtt", "mqtt://127.0.0.1:\(broker.port)"])
    }

    private func daemon(_ broker: MosquittoBroker) throws -> BrokerConnection {
        let connection = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try connection.start()
        return connection
    }

    private func publish(_ message: Message, _ connection: BrokerConnection) {
        let mqtt = MQTTMessage(
            topic: message.topic.name(under: "faces"),
            payload: message.payload,
            qos: .atLeastOnce,
            retain: message.topic.isRetained
        )
        message.topic.isEvent ? connection.publish(event: mqtt) : connection.publish(state: mqtt)
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
            for await message in daemon.incoming {
                let command = String(decoding: message.payload, as: UTF8.self)
                commands.append(command)
                publish(encoder.detectState(command == "ON"), daemon)
            }
            return commands
        }
        let url = "mqtt://127.0.0.1:\(broker.port)"
        for wish in ["off", "off", "on"] {
            let command = try #require(try Facet.parseAsRoot(["detect", wish, "--mqtt", url]) as? Detect)
            try await command.run()
        }
        _ = await daemon.stop()
        // The second one was already so.
        #expect(await commands.value == ["OFF", "ON"])
    }

    @Test("doctor tells of the broker and the daemon, and what mends them")
    func doctor() async throws {
        let broker = try await MosquittoBroker()
        let (_, without) = try await BrokerExamination.findings(options(broker))
        #expect(without.map(\.subject) == ["broker", "daemon", "preview"])
        #expect(without.map(\.verdict) == [.works, .fails, .remark])

        let daemon = try daemon(broker)
        let status = DaemonStatus(
            state: .online,
            cameraState: .streaming,
            version: facetVersion,
            attention: [.tooDark]
        )
        publish(encoder.status(status), daemon)
        publish(encoder.metadata([], at: stamp(0)), daemon)
        _ = await daemon.states.first { $0.isConnected }
        let (isStreaming, with) = try await BrokerExamination.findings(options(broker))
        #expect(isStreaming)
        #expect(with.map(\.subject) == ["broker", "daemon", "attention", "preview"])
        #expect(with.map(\.verdict) == [.works, .works, .remark, .remark])
        _ = await daemon.stop()
        await broker.terminate()
        let (_, gone) = try await BrokerExamination.findings(options(broker))
        #expect(gone.map(\.verdict) == [.fails] && gone.first?.remedy != nil)
    }

    @Test("a follower hears messages in order, and of the connection's loss and return")
    func follows() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try Subscriber(options(broker), command: "test", topics: Topic.viewed)
        var inputs = LiveInputs(subscriber).makeAsyncIterator()
        func next() async -> Subscriber.Occurrence? {
            guard case .occurrence(let occurrence) = await inputs.next()?.content else { return nil }
            return occurrence
        }
        while let occurrence = await next() {
            if case .connection(.connected) = occurrence { break }
        }
        let daemon = try daemon(broker)
        var model = LiveModel()
        // Retained, so it comes whether the subscription took effect before or after.
        publish(encoder.metadata([face()], at: stamp(1)), daemon)
        while model.scene.layers.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 0) }
        #expect(model.scene.layers.count == 1)
        await broker.kill()
        while !model.scene.layers.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 1) }
        #expect(!model.connection.isConnected)
        try await broker.start()
        while !model.connection.isConnected, let occurrence = await next() { _ = model.take(occurrence, at: 2) }
        // The daemon tells its state again on every connection.
        while model.scene.layers.isEmpty, let occurrence = await next() { _ = model.take(occurrence, at: 3) }
        #expect(model.scene.layers.count == 1)
        _ = await daemon.stop()
        await subscriber.stop()
    }
}
