import FacetTestSupport
import Logging
import MQTT
import Synchronization
import Testing

/// Replays what real brokers were found to do, and what a hostile one could.
@Suite("Brokers that misbehave", .serialized, .timeLimit(.minutes(5)))
struct HostileBrokerTests {
    private static func settings(_ brokers: FakeBroker...) -> BrokerSettings {
        var settings = BrokerSettings.test(port: 1)
        settings.brokers = brokers.map { .init(host: "127.0.0.1", port: $0.port) }
        return settings
    }

    private static func isConnect(_ packet: [UInt8]) -> Bool { packet[0] >> 4 == 1 }

    @Test("a broker that never answers MQTT 5 is asked for 3.1.1, once and for good")
    func silentConnect() async throws {
        let broker = try FakeBroker { request, packet in
            .send(request.version == 5 ? [] : FakeBroker.answer(to: packet, version: request.version))
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        #expect(broker.requests.map(\.version) == [5, 4])
        connection.publishNumbered(1...1)
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        _ = await connection.stop()
    }

    @Test("a broker that closes on MQTT 5 gets 3.1.1 at once, and again after it was away")
    func closesOnVersion5() async throws {
        let broker = try FakeBroker { request, packet in
            if request.version == 5 { return .close }
            // The event ends the first connection.
            if packet[0] >> 4 == 3 { return .close }
            return .send(FakeBroker.answer(to: packet, version: request.version))
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        connection.publishNumbered(1...1)
        await watcher.lost()
        await watcher.connected()
        #expect(broker.requests.map(\.version).prefix(3) == [5, 4, 4])
        _ = await connection.stop()
    }

    @Test(
        "a broker without MQTT 5 that leaves a request unanswered once, as a cluster without a leader does, is asked again"
    )
    func unansweredOnce() async throws {
        let requests = Mutex(0)
        let broker = try FakeBroker { request, packet in
            guard request.version == 4 else { return .send([0x20, 2, 0, 1]) }
            // The event ends the first connection.
            if packet[0] >> 4 == 3 { return .close }
            let number = requests.withLock { count in
                if Self.isConnect(packet) { count += 1 }
                return count
            }
            return .send(Self.isConnect(packet) && number == 2 ? [] : FakeBroker.answer(to: packet, version: 4))
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        connection.publishNumbered(1...1)
        await watcher.lost()
        await watcher.connected()
        #expect(broker.requests.map(\.version).prefix(4) == [5, 4, 4, 4])
        _ = await connection.stop()
    }

    @Test(
        "an event that a cluster refuses in the moment after it lost a node is sent again",
        arguments: [0x80, 0x83, 0x97]
    )
    func temporaryRefusal(reason: UInt8) async throws {
        let refused = Mutex(0)
        let broker = try FakeBroker { request, packet in
            let answer = FakeBroker.answer(to: packet, version: request.version)
            let isRefused =
                packet[0] >> 4 == 3
                && refused.withLock { count in
                    count += 1
                    return count <= 2
                }
            // An acknowledgement of three bytes holds a reason.
            return .send(isRefused ? [0x40, 3] + answer.dropFirst(2) + [reason] : answer)
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        try connection.start()
        connection.publishNumbered(1...2)
        try await eventually { connection.counters.acknowledgedEvents == 2 }
        #expect(connection.counters.dropped == [:])
        #expect(broker.requests.count == 1)
        _ = await connection.stop()
    }

    @Test("a topic that is refused over and over is given up, and the others go on")
    func lastingRefusal() async throws {
        let broker = try FakeBroker { request, packet in
            let answer = FakeBroker.answer(to: packet, version: request.version)
            let isSmile = packet[0] >> 4 == 3 && packet.contains(UInt8(ascii: "~"))
            return .send(isSmile ? [0x40, 3] + answer.dropFirst(2) + [0x80] : answer)
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        try connection.start()
        connection.publish(event: MQTTMessage(topic: "faces/smile", text: "~1"))
        connection.publish(event: MQTTMessage(topic: "faces/smile", text: "~2"))
        connection.publishNumbered(1...1)
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        #expect(connection.counters.dropped == [.rejected: 2])
        _ = await connection.stop()
    }

    @Test("a session whose resumption is never answered is given up, and the event arrives")
    func unansweredResume() async throws {
        let broker = try FakeBroker { request, packet in
            guard request.cleanStart else { return .send([]) }
            return .send(FakeBroker.answer(to: packet, version: request.version))
        }
        let gate = try TCPProxy(to: broker.port)
        var settings = BrokerSettings.test(port: gate.port)
        settings.willDelay = .seconds(5)
        settings.will = MQTTMessage(topic: "faces/status", text: "offline")
        let connection = try BrokerConnection(testing: settings)
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        gate.cut()
        await watcher.lost()
        connection.publishNumbered(1...1)
        await watcher.connected()
        #expect(broker.requests.map(\.cleanStart) == [true, false, true])
        #expect(broker.requests.allSatisfy { $0.version == 5 })
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        _ = await connection.stop()
    }

    @Test("one wrong property ends a connection, not the process", arguments: 0..<11)
    func wrongProperty(kind: Int) async throws {
        let bad: [[UInt8]] = [
            [0x20, 5, 0, 0, 2, 0x7F, 0], [0x30, 5, 0, 1, 0x61, 1, 0x7F], [0x40, 6, 0, 1, 0, 2, 0x7F, 0],
            [0x50, 6, 0, 1, 0, 2, 0x7F, 0], [0x62, 6, 0, 1, 0, 2, 0x7F, 0], [0x70, 6, 0, 1, 0, 2, 0x7F, 0],
            [0x90, 6, 0, 1, 2, 0x7F, 0, 0], [0xB0, 6, 0, 1, 2, 0x7F, 0, 0], [0xE0, 4, 0, 2, 0x7F, 0],
            [0xF0, 4, 0, 2, 0x7F, 0], [0x90, 2, 0, 1],
        ]
        let broker = try FakeBroker { request, packet in
            let answer = FakeBroker.answer(to: packet, version: request.version)
            guard Self.isConnect(packet), request.version == 5 else { return .send(answer) }
            return .send(kind == 0 ? bad[0] : answer + bad[kind])
        }
        let log = LogRecorder()
        let connection = try BrokerConnection(testing: Self.settings(broker), logger: log.logger)
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.wait(for: { !$0.isConnected && $0 != .connecting || broker.requests.count > 1 })
        try await eventually { broker.requests.count > 1 }
        _ = await connection.stop()
    }

    @Test("bytes that come one by one are put together")
    func slowBytes() async throws {
        let broker = try FakeBroker { request, packet in
            .drip(FakeBroker.answer(to: packet, version: request.version))
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        try connection.start()
        connection.publishNumbered(1...3)
        try await eventually { connection.counters.acknowledgedEvents == 3 }
        _ = await connection.stop()
    }

    @Test("a message that announces 256 MB is counted as refused, and the connection stays")
    func announcedSize() async throws {
        let broker = try FakeBroker { request, packet in
            let answer = FakeBroker.answer(to: packet, version: request.version)
            return .send(Self.isConnect(packet) ? answer + [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61, 0] : answer)
        }
        let connection = try BrokerConnection(testing: Self.settings(broker))
        try connection.start()
        // Both may come in one piece, and the refusal is counted before the answer to the connection is taken.
        try await eventually {
            connection.counters.dropped[.incomingRefused] == 1 && connection.counters.connections > 0
        }
        #expect(connection.counters.connections == 1)
        _ = await connection.stop(timeout: .milliseconds(200))
    }

    @Test(
        "events flow past a message at which the broker closes the connection; it is named with its size, and left out",
        arguments: ["size", "topic", "retain"]
    )
    func closing(rule: String) async throws {
        let taken = Mutex<[String]>([])
        let broker = try FakeBroker { request, packet in
            guard packet[0] >> 4 == 3 else { return .send(FakeBroker.answer(to: packet, version: request.version)) }
            let topic = String(decoding: packet[4...].prefix(Int(packet[3])), as: UTF8.self)
            let isRefused =
                switch rule {
                case "size": packet.count > 100
                case "topic": topic.hasPrefix("denied")
                default: packet[0] & 1 != 0
                }
            if isRefused { return .close }
            taken.withLock { $0.append(topic) }
            return .send(FakeBroker.answer(to: packet, version: request.version))
        }
        var settings = Self.settings(broker)
        settings.version = .version311
        let log = LogRecorder()
        let connection = try BrokerConnection(testing: settings, logger: log.logger)
        func state(_ topic: String, _ size: Int, qos: MQTTMessage.QoS = .atLeastOnce) -> MQTTMessage {
            MQTTMessage(topic: topic, payload: [UInt8](repeating: 65, count: size), qos: qos, retain: true)
        }
        connection.publish(state: state("first", 3))
        connection.publish(state: state("denied/a", 100))
        connection.publish(state: state("denied/b", 110, qos: .atMostOnce))
        connection.publish(state: state("last", 3))
        connection.publishNumbered(1...3)
        connection.publish(event: MQTTMessage(topic: "denied/event", payload: [UInt8](repeating: 65, count: 100)))
        connection.publishNumbered(4...5)
        try connection.start()
        let lost = rule == "retain" ? 0 : 1
        try await eventually {
            connection.counters.acknowledgedEvents == 6 - lost
                && connection.counters.dropped[.rejected, default: 0] == lost
                && taken.withLock { $0.contains("first") && $0.contains("last") }
        }
        let connections = connection.counters.connections
        connection.publishNumbered(6...7)
        connection.publish(state: state("last", 4))
        try await eventually { connection.counters.acknowledgedEvents == 8 - lost }
        if rule == "retain" {
            try await eventually { taken.withLock { $0.contains("denied/a") && $0.contains("denied/b") } }
            #expect(log.lines.contains { $0.contains("sent without being retained") })
        } else {
            try await eventually { log.lines.contains { $0.contains("denied/b") } }
            for (topic, size) in [("denied/a", 108), ("denied/b", 118), ("denied/event", 112)] {
                #expect(log.lines.contains { $0.contains("left out") && $0.contains(topic) && $0.contains("\(size)") })
            }
        }
        if rule == "size" {
            connection.publish(state: state("denied/a", 10))
            try await eventually { taken.withLock { $0.contains("denied/a") } }
        }
        #expect(connection.counters.connections <= connections + 2)
        _ = await connection.stop()
    }

    @Test("of several brokers the next one serves, and the state says which")
    func list() async throws {
        let dead = BrokerSettings.Endpoint(host: "127.0.0.1", port: try LoopbackPort.free())
        let hole = try UnresponsiveServer()
        let first = try FakeBroker { _, _ in .close }
        let second = try FakeBroker { request, packet in
            .send(FakeBroker.answer(to: packet, version: request.version))
        }
        var settings = Self.settings(first, second)
        settings.brokers.insert(contentsOf: [dead, .init(host: "127.0.0.1", port: hole.port)], at: 0)
        let connection = try BrokerConnection(testing: settings)
        try connection.start()
        let state = await StateWatcher(connection).wait(for: \.isConnected)
        #expect(state == .connected(.version5, broker: "127.0.0.1:\(second.port)"))
        connection.publishNumbered(1...1)
        try await eventually { connection.counters.acknowledgedEvents == 1 }
        _ = await connection.stop()
        withExtendedLifetime(hole) {}
    }

    @Test("an event is as old as it says, not as new as its arrival")
    func age() throws {
        let time = MovableClock()
        let connection = try BrokerConnection(settings: .test(port: 1), clock: time.clock, logger: .silent)
        connection.publish(event: MQTTMessage(topic: "faces/smile", text: "old"), age: .seconds(14))
        connection.publish(event: MQTTMessage(topic: "faces/smile", text: "young"), age: .seconds(9))
        #expect(connection.counters.queuedEvents == 1)
        time.advance(seconds: 2)
        connection.publish(event: MQTTMessage(topic: "faces/smile", text: "new"))
        #expect(connection.counters.dropped == [.expired: 2])
    }
}
