import FacetTestSupport
import Logging
import System
import Testing

@testable import MQTT

/// A store whose removals take until they are let go, as on a slow disk.
private final class SlowStore: EventStore {
    private let memory = Outbox()
    private let removal = Monitor((isWaiting: false, mayEnd: false))

    var isRemoving: Bool { removal.update(\.isWaiting) }

    func letGo() { removal.update { $0.mayEnd = true } }

    func remove(_ sequences: [Int64]) {
        removal.update { $0.isWaiting = true }
        removal.wait { $0.mayEnd ? () : nil }
        memory.remove(sequences)
    }

    func nextSequence() -> Int64 { memory.nextSequence() }
    func append(_ event: StoredEvent) -> Bool { memory.append(event) }
    var events: [StoredEvent] { memory.events }
    func tidy() {}
}

@Suite(
    "Broker connection with a real mosquitto",
    .serialized,
    .enabled(if: MosquittoBroker.isInstalled),
    .timeLimit(.minutes(5))
)
struct BrokerConnectionTests {
    @Test("publishing does not wait while an acknowledged event is removed from a slow store")
    func slowStore() async throws {
        let broker = try await MosquittoBroker()
        let store = SlowStore()
        let connection = try BrokerConnection(testing: .test(port: broker.port), store: store)
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "1"))
        try connection.start()
        try await eventually { store.isRemoving }
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "2"))
        connection.publish(state: MQTTMessage(topic: "faces/count", text: "1"))
        #expect(connection.counters.queuedEvents == 1)
        store.letGo()
        try await eventually { connection.counters.acknowledgedEvents == 2 }
        #expect(await connection.stop().didDisconnect)
    }

    @Test("a run that ends before its first connection is open waits for that, and sends what it has")
    func shortRun() async throws {
        let broker = try await MosquittoBroker()
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "1"))
        try connection.start()
        #expect(await connection.stop() == StopReport(didDisconnect: true, unsentEvents: 0, unsentTopics: []))
    }

    @Test("messages of all three kinds arrive, and nothing is left")
    func messagesArrive() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        try connection.start()
        await StateWatcher(connection).connected()
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "an event", retain: true))
        connection.publish(state: MQTTMessage(topic: "faces/count", text: "1", qos: .atLeastOnce, retain: true))
        connection.publish(transient: MQTTMessage(topic: "faces/stats", text: "transient"))
        let received = await observer.next(3)
        #expect(Set(received.map(\.text)) == ["an event", "1", "transient"])
        connection.publish(state: MQTTMessage(topic: "faces/status", text: "stopped"))
        let report = await connection.stop()
        #expect(report == StopReport(didDisconnect: true, unsentEvents: 0, unsentTopics: []))
        #expect(await observer.next().text == "stopped")
        #expect(connection.counters.acknowledgedEvents == 1)

        let late = try await Observer(of: broker)
        connection.publish(transient: MQTTMessage(topic: "faces/stats", text: "too late"))
        #expect(await late.next().topic == "faces/count", "an event is never retained")
        #expect(connection.counters.dropped == [.offline: 1])
    }

    @Test("over MQTT 5 a message carries its type, properties and the rest of its life")
    func properties() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        let properties = [MQTTMessage.UserProperty("ce_type", "enter"), .init("ce_id", "01JD"), .init("ce_type", "x")]
        connection.publish(
            event: MQTTMessage(
                topic: "faces/enter",
                payload: [0, 1, 255],
                contentType: "application/json",
                userProperties: properties
            )
        )
        try connection.start()
        let message = await observer.next()
        #expect(message.payload == [0, 1, 255])
        #expect(message.contentType == "application/json")
        #expect(message.userProperties == properties)
        _ = await connection.stop()
    }

    @Test("the broker throws an event away that reaches nobody within its life")
    func expiryAtTheBroker() async throws {
        let broker = try await MosquittoBroker()
        let capture = try TCPProxy(to: broker.port)
        let connection = try BrokerConnection(testing: .test(port: capture.port))
        try connection.start()
        connection.publishNumbered(1...1)
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        // Property 2 is the Message Expiry Interval, four bytes: 10 s, the whole age limit.
        #expect(capture.captured.firstRange(of: [5, 2, 0, 0, 0, 10]) != nil)
        _ = await connection.stop()
    }

    /// Starts a connection and waits until its subscriptions have taken effect: a state is sent after them.
    private func start(_ connection: BrokerConnection, watchedBy observer: Observer) async throws {
        connection.publish(state: MQTTMessage(topic: "ready", text: "subscribed"))
        try connection.start()
        #expect(await observer.next().text == "subscribed")
    }

    @Test("subscriptions bring messages, and what nobody reads is dropped and counted")
    func subscriptions() async throws {
        let broker = try await MosquittoBroker()
        var settings = BrokerSettings.test(port: broker.port)
        settings.incomingCapacity = 4
        let connection = try BrokerConnection(testing: settings)
        try connection.subscribe("faces/detect/set")
        #expect(throws: MQTTError.self) { try connection.subscribe("faces/#/x") }
        let sender = try await Observer(of: broker, to: "ready")
        try await start(connection, watchedBy: sender)
        for number in 1...10 {
            sender.connection.publish(transient: MQTTMessage(topic: "faces/detect/set", text: "\(number)"))
        }
        try await eventually { connection.counters.dropped[.incomingOverflow] == 6 }
        var iterator = connection.occurrences.compactMap(\.message).makeAsyncIterator()
        var texts: [String] = []
        for _ in 0..<4 { texts.append(await iterator.next()?.text ?? "") }
        #expect(texts == ["7", "8", "9", "10"])
        #expect(connection.counters.dropped == [.incomingOverflow: 6])
        _ = await connection.stop()
    }

    @Test("a reader that is late gets each loss before what the next connection brought")
    func orderOfLosses() async throws {
        let broker = try await MosquittoBroker()
        let sender = try await Observer(of: broker, to: "ready")
        let kept = MQTTMessage(topic: "faces/status", text: "kept", qos: .atLeastOnce, retain: true)
        sender.connection.publish(state: kept)
        try await broker.waitForLog("'faces/status'")
        let proxy = try TCPProxy(to: broker.port)
        let connection = try BrokerConnection(testing: .test(port: proxy.port))
        try connection.subscribe("faces/status")
        try connection.start()
        for connections in 1...3 {
            // The broker acknowledges it after it has sent what it keeps.
            connection.publishNumbered(connections...connections)
            try await eventually { connection.counters.acknowledgedEvents == connections }
            if connections < 3 { proxy.cut() }
        }
        _ = await connection.stop()
        var seen: [String] = []
        for await occurrence in connection.occurrences {
            switch occurrence {
            case .message(let message): seen.append(message.text)
            case .connection(.connected): seen.append("connected")
            case .connection(.disconnected): seen.append("lost")
            case .connection(let other): seen.append("\(other)")
            }
        }
        let once = ["connected", "kept", "lost"]
        #expect(seen == ["connecting"] + once + once + ["connected", "kept", "stopped"])
    }

    @Test(
        "oversized, binary and malformed messages are harmless",
        arguments: [.version5, .version311] as [ConnectionState.ProtocolVersion]
    )
    func hostileMessages(version: ConnectionState.ProtocolVersion) async throws {
        let broker = try await MosquittoBroker()
        var settings = BrokerSettings.test(port: broker.port)
        settings.maximumIncomingPayload = 1000
        settings.version = version
        let connection = try BrokerConnection(testing: settings)
        try connection.subscribe("faces/#")
        let sender = try await Observer(of: broker, to: "ready")
        try await start(connection, watchedBy: sender)
        func send(_ payload: [UInt8], topic: String = "faces/detect/set") {
            sender.connection.publish(event: MQTTMessage(topic: topic, payload: payload))
        }
        send([UInt8](repeating: 65, count: 2000))
        send([UInt8](repeating: 65, count: 3_000_000))
        send([])
        send([0, 255, 254, 0])
        send(Array("deep".utf8), topic: "faces/" + String(repeating: "x/", count: 150))
        send(Array("ON".utf8))
        var iterator = connection.occurrences.compactMap(\.message).makeAsyncIterator()
        #expect(await iterator.next()?.payload == [])
        #expect(await iterator.next()?.payload == [0, 255, 254, 0])
        #expect(await iterator.next()?.text == "deep")
        #expect(await iterator.next()?.text == "ON")
        // MQTT 5 lets us tell the broker our limit, so only the smaller of the two came here at all.
        #expect(connection.counters.dropped == [.incomingRefused: version == .version5 ? 1 : 2])
        _ = await connection.stop()
    }

    @Test("a message that no broker can take is dropped and counted, and holds nothing up")
    func impossibleMessages() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let log = LogRecorder()
        let connection = try BrokerConnection(testing: .test(port: broker.port), logger: log.logger)
        try connection.start()
        connection.publish(event: MQTTMessage(topic: "faces/#", text: "wildcard"))
        connection.publish(event: MQTTMessage(topic: "", text: "nowhere"))
        connection.publish(state: MQTTMessage(topic: "faces/+", text: "wildcard"))
        connection.publish(event: MQTTMessage(topic: "faces/enter", text: "good"))
        #expect(await observer.next().text == "good")
        try await eventually { connection.counters.queuedEvents == 0 }
        #expect(connection.counters.dropped[.rejected] == 2)
        #expect(log.lines.count { $0.contains("refused and is dropped") } == 3)
        _ = await connection.stop()
    }

    @Test("a broker that knows only MQTT 3.1.1 is spoken to in that")
    func fallback() async throws {
        let broker = try await MosquittoBroker()
        let old = try TCPProxy(to: broker.port) { direction, packet in
            guard direction == .toServer, MQTTPackets.version(ofConnect: packet) == 5 else { return .pass }
            // A CONNACK of MQTT 3.1.1: unacceptable protocol version.
            return .answer([0x20, 2, 0, 1])
        }
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(testing: .test(port: old.port))
        connection.publish(
            event: MQTTMessage(topic: "faces/enter", payload: Array("old".utf8), contentType: "text/plain")
        )
        try connection.start()
        let state = await StateWatcher(connection).wait(for: \.isConnected)
        #expect(state == .connected(.version311, broker: "127.0.0.1:\(old.port)"))
        let message = await observer.next()
        #expect(message.text == "old")
        #expect(message.contentType == nil)
        #expect(await connection.stop().didDisconnect)
    }

    @Test("a broker that hangs up on MQTT 5 without a word is found to speak 3.1.1")
    func silentFallback() async throws {
        let broker = try await MosquittoBroker()
        let old = try TCPProxy(to: broker.port) { _, packet in
            MQTTPackets.kind(of: packet) == .connect && MQTTPackets.version(ofConnect: packet) == 5 ? .cut : .pass
        }
        let connection = try BrokerConnection(testing: .test(port: old.port))
        try connection.start()
        let state = await StateWatcher(connection).wait(for: \.isConnected)
        #expect(state == .connected(.version311, broker: "127.0.0.1:\(old.port)"))
        _ = await connection.stop()
    }

    @Test("nobody listening: patient, one log line, and stop does not wait")
    func nobodyListening() async throws {
        let log = LogRecorder()
        let port = try LoopbackPort.free()
        let connection = try BrokerConnection(testing: .test(port: port), logger: log.logger)
        try connection.start()
        let watcher = StateWatcher(connection)
        await watcher.lost()
        connection.publishNumbered(1...3)
        // An hour to take leave, without a broker: if stop waited for it, the test's time limit would end it.
        let report = await connection.stop(timeout: .seconds(3600))
        #expect(!report.didDisconnect)
        #expect(report.unsentEvents == 3)
        #expect(log.lines.count { $0.contains("no broker at 127.0.0.1:\(port): Connection refused") } == 1)
        await watcher.wait(for: { _ in false })
        #expect(watcher.seen.last == .stopped)
    }

    @Test("a broker that accepts and never answers does not hold up stop")
    func silentBroker() async throws {
        let broker = try await MosquittoBroker()
        broker.suspend()
        defer { broker.resume() }
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        try connection.start()
        // Were it longer than this, the test's time limit would tell.
        let report = await connection.stop(timeout: .milliseconds(200))
        #expect(!report.didDisconnect)
    }

    @Test("a host that drops all packets does not hold up stop")
    func unresponsiveHost() async throws {
        let server = try UnresponsiveServer()
        let connection = try BrokerConnection(testing: .test(port: server.port))
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.wait(for: { $0 == .connecting })
        let report = await connection.stop(timeout: .milliseconds(200))
        #expect(!report.didDisconnect)
        // Only the network thread reports it: that was not held up either. On a busy machine the attempt may have timed
        // out.
        #expect(await watcher.wait(for: { $0 == .stopped }) == .stopped)
    }

    @Test("a stop during which an acknowledgement is overdue names only what the broker has not confirmed")
    func overdueStop() async throws {
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port)
        var settings = BrokerSettings.test(port: gate.port)
        // It passes between the DISCONNECT, which stays behind the event, and the end of the stop.
        settings.acknowledgementTimeout = .milliseconds(1900)
        let connection = try BrokerConnection(testing: settings)
        connection.publish(state: MQTTMessage(topic: "faces/count", text: "1", qos: .atLeastOnce, retain: true))
        connection.publishNumbered(1...1)
        try connection.start()
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        gate.pass(false)
        let large = [UInt8](repeating: 0, count: 32_000_000)
        connection.publish(event: MQTTMessage(topic: "faces/enter", payload: large))
        try await eventually { connection.counters.sent == 3 }
        let report = await connection.stop(timeout: .seconds(2))
        #expect(report == StopReport(didDisconnect: false, unsentEvents: 1, unsentTopics: []))
    }

    @Test("a connection that is let go of ends by itself, and the broker publishes the will")
    func lettingGo() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        var settings = BrokerSettings.test(port: broker.port)
        settings.will = MQTTMessage(topic: "faces/status", text: "offline", qos: .atLeastOnce, retain: true)
        do {
            let connection = try BrokerConnection(testing: settings)
            try connection.start()
            await StateWatcher(connection).connected()
        }
        #expect(await observer.next().text == "offline")
    }

    @Test("a stopped connection that never started reports what it never sent")
    func neverStarted() async throws {
        let connection = try BrokerConnection(testing: .test(port: 1))
        connection.publishNumbered(1...2)
        let report = await connection.stop()
        #expect(report == StopReport(didDisconnect: false, unsentEvents: 2, unsentTopics: []))
    }
}
