import Testing

@testable import MQTT

@Suite("What waits for a connection's reader")
struct OccurrenceQueueTests {
    private static let lost = BrokerConnection.Occurrence.connection(.disconnected("lost"))

    private func message(_ number: Int) -> BrokerConnection.Occurrence {
        .message(MQTTMessage(topic: "faces/count", text: "\(number)"))
    }

    private func drain(_ queue: inout OccurrenceQueue) -> [BrokerConnection.Occurrence] {
        var all: [BrokerConnection.Occurrence] = []
        while let next = queue.removeFirst() { all.append(next) }
        return all
    }

    @Test("too many messages push out the oldest message, never a loss of the connection")
    func messages() {
        var queue = OccurrenceQueue(capacity: 2)
        let hasDropped = [message(1), Self.lost, message(2), message(3), message(4)].map { !queue.put($0).isEmpty }
        #expect(hasDropped == [false, false, false, true, true])
        #expect(drain(&queue) == [Self.lost, message(3), message(4)])
        let madeRoom = queue.put(message(5))
        #expect(madeRoom.isEmpty)
        #expect(drain(&queue) == [message(5)])
    }

    @Test("a few large messages push out the oldest, too, whether payload, topic or properties make them large")
    func bytes() {
        let large = String(repeating: "x", count: 15 << 20)
        let messages = [
            MQTTMessage(topic: "faces/count", text: large), MQTTMessage(topic: large, text: "2"),
            MQTTMessage(topic: "faces/count", payload: [], userProperties: [.init("name", large)]),
            MQTTMessage(topic: "faces/count", text: large),
        ]
        var queue = OccurrenceQueue(capacity: 100)
        _ = queue.put(Self.lost)
        #expect(messages.map { queue.put(.message($0)).count } == [0, 0, 1, 1])
        #expect(drain(&queue).map { $0.message?.payload.count } == [nil, 0, large.utf8.count])
    }

    @Test("without a reader, changes of the connection are limited, and push out no message")
    func changes() {
        var queue = OccurrenceQueue(capacity: 2)
        _ = queue.put(message(1))
        let hasDropped = (1...1000).contains { _ in queue.put(Self.lost).contains { $0.message != nil } }
        #expect(!hasDropped)
        #expect(drain(&queue) == [message(1)] + Array(repeating: Self.lost, count: 64))
    }
}
