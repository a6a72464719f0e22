import FacetTestSupport
import Glibc
import Logging
import Testing

@testable import MQTT

@Suite("Being alive or not", .serialized, .enabled(if: MosquittoBroker.isInstalled), .timeLimit(.minutes(5)))
struct LifeSignTests {
    private static let online = MQTTMessage(topic: "faces/status", text: "online", qos: .atLeastOnce, retain: true)
    private static let offline = MQTTMessage(topic: "faces/status", text: "offline", qos: .atLeastOnce, retain: true)

    private func settings(
        port: Int,
        willDelay: Duration = .zero,
        version: ConnectionState.ProtocolVersion? = nil
    ) -> BrokerSettings {
        var settings = BrokerSettings.test(port: port)
        settings.will = Self.offline
        settings.willDelay = willDelay
        settings.selfCorrectingTopic = "faces/status"
        settings.version = version
        return settings
    }

    @Test(
        "a cut connection lets the will out, and the return corrects it",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func will(version: ConnectionState.ProtocolVersion) async throws {
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port)
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(testing: settings(port: gate.port, version: version))
        connection.publish(state: Self.online)
        try connection.start()
        #expect(await observer.next().text == "online")
        gate.cut()
        #expect(await observer.next().text == "offline")
        #expect(await observer.next().text == "online")
        connection.publish(
            state: MQTTMessage(topic: "faces/status", text: "stopped", qos: .atLeastOnce, retain: true)
        )
        _ = await connection.stop()
        #expect(await observer.next().text == "stopped")
    }

    @Test("with a delay the will does not come when the connection is back in time")
    func delayedWill() async throws {
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port)
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(
            testing: settings(port: gate.port, willDelay: .seconds(30))
        )
        let watcher = StateWatcher(connection)
        connection.publish(state: Self.online)
        try connection.start()
        #expect(await observer.next().text == "online")
        for _ in 0..<3 {
            await watcher.connected()
            gate.cut()
            await watcher.lost()
            #expect(await observer.next().text == "online", "the states are renewed, without an offline before")
        }
        await watcher.connected()
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "alive"))
        #expect(await observer.next().text == "alive")
        _ = await connection.stop()
    }

    @Test(
        "a late will is corrected by the client itself",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func lateWill(version: ConnectionState.ProtocolVersion) async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(testing: settings(port: broker.port, version: version))
        connection.publish(state: Self.online)
        try connection.start()
        #expect(await observer.next().text == "online")
        observer.connection.publish(event: Self.offline)
        #expect(await observer.next().text == "offline")
        #expect(await observer.next().text == "online")
        // And nothing goes on answering itself.
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "next"))
        #expect(await observer.next().text == "next")
        _ = await connection.stop()
    }

    @Test("the own topic is not among what comes in, unless asked for")
    func ownTopicStaysInside() async throws {
        let broker = try await MosquittoBroker()
        let connection = try BrokerConnection(testing: settings(port: broker.port))
        try connection.subscribe("faces/detect/set")
        connection.publish(state: Self.online)
        try connection.start()
        await StateWatcher(connection).connected()
        let sender = try await Observer(of: broker, to: "faces/status")
        #expect(await sender.next().text == "online")
        sender.connection.publish(transient: Self.offline)
        #expect(await sender.next().text == "offline")
        #expect(await sender.next().text == "online")
        sender.connection.publish(transient: MQTTMessage(topic: "faces/detect/set", text: "OFF"))
        var iterator = connection.occurrences.compactMap(\.message).makeAsyncIterator()
        #expect(await iterator.next()?.text == "OFF")
        _ = await connection.stop()
    }

    /// The settings of one of two daemons that were given the same client id and topic.
    private func rival(_ name: String, port: Int, version: ConnectionState.ProtocolVersion) -> BrokerSettings {
        var settings = settings(port: port, version: version)
        settings.will = MQTTMessage(topic: "faces/status", text: "\(name) offline", qos: .atLeastOnce, retain: true)
        return settings
    }

    @Test(
        "of two clients with the same id one gives way, and says why",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func rivals(version: ConnectionState.ProtocolVersion) async throws {
        let broker = try await MosquittoBroker()
        let log = LogRecorder()
        var connections: [BrokerConnection] = []
        for name in ["first", "second"] {
            let settings = rival(name, port: broker.port, version: version)
            let connection = try BrokerConnection(testing: settings, logger: log.logger)
            connection.publish(state: MQTTMessage(topic: "faces/status", text: name, qos: .atLeastOnce, retain: true))
            let watcher = StateWatcher(connection)
            try connection.start()
            await watcher.connected()
            connections.append(connection)
        }
        try await eventually {
            log.lines.contains { $0.hasPrefix("error") && $0.contains("another client with the id") }
        }
        // The connection that is left goes on undisturbed: its events are acknowledged, and it does not connect again.
        for connection in connections { connection.publishNumbered(1...1) }
        try await eventually { connections.contains { $0.counters.acknowledgedEvents == 1 } }
        let counts = connections.map(\.counters.connections)
        #expect(counts.allSatisfy { (1...4).contains($0) }, "\(counts)")
        let observer = try await Observer(of: broker, to: "faces/status")
        let status = await observer.next().text
        #expect(["first", "second"].contains(status))
        #expect(log.lines.count { $0.contains("another client with the id") } == 1)
        for connection in connections { _ = await connection.stop() }
    }

    @Test("a broker that names the takeover is believed at once")
    func announcedTakeover() async throws {
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port) { direction, packet in
            guard direction == .toServer, MQTTPackets.kind(of: packet) == .publish else { return .pass }
            // A DISCONNECT of MQTT 5 with the reason 0x8E: session taken over.
            return .answer([0xE0, 1, 0x8E])
        }
        let log = LogRecorder()
        let connection = try BrokerConnection(testing: .test(port: gate.port), logger: log.logger)
        let states = StateWatcher(connection)
        try connection.start()
        await states.connected()
        connection.publishNumbered(1...1)
        let state = await states.wait(for: { !$0.isConnected })
        guard case .takenOver(let reason) = state else {
            Issue.record("the takeover is to be noticed, not \(String(describing: state))")
            return
        }
        #expect(reason.contains("'camera'"))
        #expect(log.lines.count { $0.hasPrefix("error") } == 1)
        _ = await connection.stop()
    }

    @Test("what a broker said before it hung up is read, although nothing can be written to it any more")
    func lastWords() throws {
        func pair() -> [CInt] {
            var ends: [CInt] = [0, 0]
            #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
            return ends
        }
        let network = pair()
        let library = pair()
        defer { close(library[1]) }
        let stream = try ByteStream(socket: network[0], host: "", tls: nil)
        let inspector = PacketInspector(isVersion5: true, limit: 100)
        let proxy = SocketProxy(stream: stream, inner: library[0], inspector: inspector)
        let takenOver: [UInt8] = [0xE0, 1, 0x8E]
        #expect(write(network[1], takenOver, 3) == 3 && close(network[1]) == 0)
        #expect(write(library[1], [0xC0, 0] as [UInt8], 2) == 2)
        proxy.flush()
        _ = proxy.receive()
        var heard: [UInt8] = [0, 0, 0]
        #expect(read(library[1], &heard, 3) == 3 && heard == takenOver)
        #expect(read(library[1], &heard, 3) == 0)
    }

    @Test("two clients with the same id over MQTT 3.1.1 notice each other by the look of it")
    func suspectedTakeover() async throws {
        let broker = try await MosquittoBroker()
        var settings = BrokerSettings.test(port: broker.port)
        settings.version = .version311
        let first = try BrokerConnection(testing: settings)
        let second = try BrokerConnection(testing: settings)
        let states = StateWatcher(first)
        try first.start()
        try second.start()
        let state = await states.wait(for: { if case .takenOver = $0 { true } else { false } })
        #expect(state?.description.contains("'camera'") == true)
        _ = await first.stop()
        _ = await second.stop()
    }

    @Test(
        "two clients with the same id that look after different topics are found out too",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func rivalsApart(version: ConnectionState.ProtocolVersion) async throws {
        let broker = try await MosquittoBroker()
        let log = LogRecorder()
        var connections: [BrokerConnection] = []
        for topic in ["faces/status", "porch/status"] {
            var settings = settings(port: broker.port, version: version)
            settings.selfCorrectingTopic = topic
            let connection = try BrokerConnection(testing: settings, logger: log.logger)
            connection.publish(state: MQTTMessage(topic: topic, text: "online", qos: .atLeastOnce, retain: true))
            try connection.start()
            connections.append(connection)
        }
        try await eventually {
            log.lines.contains { $0.hasPrefix("error") && $0.contains("in a row") && $0.contains("'camera'") }
        }
        for connection in connections { _ = await connection.stop() }
    }
}
