import FacetTestSupport
import Foundation
import Logging
import MQTT
import Testing

@Suite("Outages", .serialized, .enabled(if: MosquittoBroker.isInstalled), .timeLimit(.minutes(5)))
struct OutageTests {
    @Test("after a restart of a broker that forgot everything, all states are back")
    func statesComeBack() async throws {
        let broker = try await MosquittoBroker()
        let connection = try BrokerConnection(testing: .test(port: broker.port))
        let watcher = StateWatcher(connection)
        try connection.start()
        for topic in ["status", "metadata", "count"] {
            connection.publish(
                state: MQTTMessage(topic: "faces/\(topic)", text: "old", qos: .atLeastOnce, retain: true)
            )
        }
        await watcher.connected()
        await broker.kill()
        await watcher.lost()
        for text in ["1", "2", "3"] {
            connection.publish(state: MQTTMessage(topic: "faces/count", text: text, qos: .atLeastOnce, retain: true))
        }
        connection.publish(transient: MQTTMessage(topic: "faces/stats", text: "missed"))
        try await broker.start()
        await watcher.connected()
        let observer = try await Observer(of: broker)
        let received = await observer.next(3).reduce(into: [:]) { $0[$1.topic] = $1.text }
        #expect(received == ["faces/status": "old", "faces/metadata": "old", "faces/count": "3"])
        #expect(connection.counters.dropped == [.offline: 1])
        _ = await connection.stop()
    }

    @Test("subscriptions work again after a restart of the broker")
    func subscriptionsComeBack() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        await broker.terminate()
        try await broker.start()
        await observer.ready()
        observer.connection.publish(event: MQTTMessage(topic: "faces/enter", text: "again"))
        #expect(await observer.next().text == "again")
    }

    @Test("events of a short outage arrive in order, those of a long one never", arguments: [0, 9, 10, 600, 10_800])
    func offlineEvents(outage: Int64) async throws {
        let broker = try await MosquittoBroker()
        let time = MovableClock()
        let log = LogRecorder()
        let connection = try BrokerConnection(
            settings: .test(port: broker.port),
            clock: time.clock,
            logger: log.logger
        )
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        await broker.terminate()
        await watcher.lost()
        connection.publishNumbered(1...5)
        time.advance(seconds: outage)
        connection.publishNumbered(6...7)
        try await broker.start()
        await watcher.connected()
        try await eventually { connection.counters.queuedEvents == 0 }
        // The broker had no subscriber then, so what was sent is read off the counters.
        let counters = connection.counters
        let isTooLong = outage >= 10
        #expect(counters.acknowledgedEvents == (isTooLong ? 2 : 7))
        #expect(counters.tooOld == (isTooLong ? 5 : 0))
        let lines = log.lines.filter { $0.contains("too old") }
        #expect(lines.count == (isTooLong ? 1 : 0))
        #expect(lines.allSatisfy { $0.contains("5") })
        _ = await connection.stop()
    }

    @Test("young events of an outage arrive once each and in order")
    func orderAfterOutage() async throws {
        let line = try await GatedConnection()
        line.connection.publishNumbered(1...10)
        line.gate.accept(false)
        line.gate.cut()
        await line.watcher.lost()
        line.connection.publishNumbered(11...40)
        line.gate.accept(true)
        var numbers: [Int] = []
        while numbers.last != 40 { numbers.append(Int(await line.observer.next().text) ?? -1) }
        // The cut may have come between an event and its acknowledgement, which lets that one arrive twice.
        #expect(numbers.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == Array(1...40))
        #expect(numbers.count <= 41)
        _ = await line.connection.stop()
    }

    @Test(
        "an event whose acknowledgement is lost is sent again, never lost",
        arguments: [nil, .seconds(10)] as [Duration?]
    )
    func lostAcknowledgement(maximumAge: Duration?) async throws {
        let line = try await GatedConnection(rules: DeliveryRules(maximumAge: maximumAge)) { _, packet in
            MQTTPackets.kind(of: packet) == .puback ? .cut : .pass
        }
        line.connection.publishNumbered(1...2)
        #expect(await line.observer.next().text == "1")
        await line.watcher.lost()
        #expect(line.connection.counters.acknowledgedEvents == 0)
        line.gate.setFilter(nil)
        try await eventually { line.connection.counters.acknowledgedEvents == 2 }
        var numbers: [Int] = []
        while numbers.last != 2 { numbers.append(Int(await line.observer.next().text) ?? -1) }
        #expect(Set(numbers).isSubset(of: [1, 2]), "the first may come again, the second must come")
        _ = await line.connection.stop()
    }

    @Test("an event that was sent, not acknowledged and is too old by now is not sent again")
    func unconfirmed() async throws {
        let time = MovableClock()
        let line = try await GatedConnection(clock: time.clock) { _, packet in
            MQTTPackets.kind(of: packet) == .puback ? .cut : .pass
        }
        line.gate.accept(false)
        line.connection.publishNumbered(1...1)
        #expect(await line.observer.next().text == "1")
        await line.watcher.lost()
        time.advance(seconds: 11)
        line.gate.setFilter(nil)
        line.gate.accept(true)
        line.connection.publishNumbered(2...2)
        try await eventually { line.connection.counters.acknowledgedEvents == 1 }
        #expect(await line.observer.next().text == "2")
        #expect(line.connection.counters.dropped == [.unconfirmed: 1])
        _ = await line.connection.stop()
    }

    @Test("a broker that hangs gets one event at most, and nothing stale when it wakes up")
    func hangingBroker() async throws {
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let time = MovableClock()
        var settings = BrokerSettings.test(port: broker.port)
        settings.acknowledgementTimeout = .milliseconds(300)
        let connection = try BrokerConnection(settings: settings, clock: time.clock, logger: .silent)
        let watcher = StateWatcher(connection)
        try connection.start()
        await watcher.connected()
        broker.suspend()
        connection.publishNumbered(1...5)
        await watcher.lost()
        time.advance(seconds: 10_800)
        broker.resume()
        await watcher.connected()
        connection.publishNumbered(6...6)
        // What was in the broker's hands before it hung is out of ours; more than that one event there must not be.
        var texts: [String] = []
        while texts.last != "6" { texts.append(await observer.next().text) }
        #expect([["1", "6"], ["6"]].contains(texts))
        #expect(connection.counters.tooOld == 5)
        _ = await connection.stop()
    }

    @Test("a connection that is closed in one direction only is made anew")
    func halfClose() async throws {
        let line = try await GatedConnection()
        line.gate.halfClose()
        await line.watcher.lost()
        await line.watcher.connected()
        line.connection.publishNumbered(1...1)
        try await eventually { line.connection.counters.acknowledgedEvents == 1 }
        _ = await line.connection.stop()
    }

    @Test("a network that stands still for a while loses nothing")
    func delay() async throws {
        let line = try await GatedConnection()
        line.gate.pass(false)
        line.connection.publishNumbered(1...20)
        try await eventually { line.connection.counters.sent >= 1 }
        #expect(line.connection.counters.acknowledgedEvents == 0)
        line.gate.pass(true)
        #expect(await line.observer.next(20).map(\.text) == (1...20).map(String.init))
        try await eventually { line.connection.counters.acknowledgedEvents == 20 }
        #expect(line.connection.counters.connections == 1)
        _ = await line.connection.stop()
    }

    @Test("during a long outage old events count as expired, not as crowded out")
    func longOutage() throws {
        let time = MovableClock()
        let connection = try BrokerConnection(
            settings: .test(port: 1),
            rules: DeliveryRules(capacity: 3),
            clock: time.clock,
            logger: .silent
        )
        for _ in 1...4 {
            connection.publishNumbered(1...2)
            time.advance(seconds: 11)
        }
        #expect(connection.counters.dropped == [.expired: 6])
        #expect(connection.counters.queuedEvents == 2)
    }

    @Test("during a long outage the outbox's log does not grow with the events")
    func boundedLog() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("outbox.sqlite")
        let store = try Outbox(path: path, logger: .silent)
        let connection = try BrokerConnection(
            testing: .test(port: LoopbackPort.free()),
            rules: DeliveryRules(capacity: 10),
            store: store
        )
        try connection.start()
        await StateWatcher(connection).lost()
        // Each is written and crowds out another, which makes for some 20 MB of log.
        connection.publishNumbered(1...3000)
        try await eventually {
            // The log is cut by the first write after it was merged into the file.
            connection.publishNumbered(1...1)
            let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
            return size.map { $0 < 2_000_000 } ?? false
        }
        #expect(store.condition.state == .ok)
        _ = await connection.stop()
    }

    @Test("too many events: the oldest go, counted, and the log says so once")
    func overflow() async throws {
        let log = LogRecorder()
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let connection = try BrokerConnection(
            testing: .test(port: broker.port),
            rules: DeliveryRules(capacity: 3),
            logger: log.logger
        )
        connection.publishNumbered(1...10)
        try connection.start()
        #expect(await observer.next(3).map(\.text) == ["8", "9", "10"])
        #expect(connection.counters.dropped == [.overflow: 7])
        #expect(log.lines.count { $0.contains("oldest are being dropped") } == 1)
        _ = await connection.stop()
    }
}
