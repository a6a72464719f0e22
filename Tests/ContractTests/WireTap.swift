import FacetTestSupport
import Foundation
import MQTT

/// A subscriber of a real broker that records everything, with what the broker's log tells of each message.
final class WireTap {
    private static let name = "wire-tap"

    private let broker: MosquittoBroker
    private let connection: BrokerConnection
    private var messages: AsyncCompactMapSequence<AsyncStream<BrokerConnection.Occurrence>, MQTTMessage>.Iterator
    private var received: [MQTTMessage] = []
    private var ownTopics: Set<String> = []

    /// Subscribes to everything, and waits until that has taken effect.
    init(on broker: MosquittoBroker) async throws {
        self.broker = broker
        var settings = BrokerSettings(host: broker.host, port: broker.port, clientID: Self.name)
        settings.incomingCapacity = 100_000
        connection = try BrokerConnection(
            settings: settings,
            logger: .silent
        )
        messages = connection.occurrences.compactMap(\.message).makeAsyncIterator()
        try connection.subscribe("#")
        try connection.start()
        // Our own message comes back once the broker has the subscription. It is a retained state: it cannot come too
        // early.
        connection.publish(state: MQTTMessage(topic: "wire-tap/begin", payload: Array("begin".utf8)))
        try await wait { $0.topic == "wire-tap/begin" }
    }

    /// Publishes a command; it does not count as a message of the daemon.
    func command(_ text: String, on topic: String) {
        ownTopics.insert(topic)
        connection.publish(transient: MQTTMessage(topic: topic, payload: Array(text.utf8)))
    }

    /// Records messages up to the next one that satisfies a condition.
    ///
    /// - Throws: `CancellationError` if the connection ends before.
    func wait(for condition: (MQTTMessage) throws -> Bool) async throws {
        while let message = await messages.next(isolation: #isolation) {
            if !message.topic.hasPrefix("wire-tap/") { received.append(message) }
            if try condition(message) { return }
        }
        throw CancellationError()
    }

    /// What has come until now, the daemon's messages only.
    func finish() async throws -> [MQTTMessage] {
        connection.publish(transient: MQTTMessage(topic: "wire-tap/end", payload: Array("end".utf8)))
        try await wait { $0.topic == "wire-tap/end" }
        _ = await connection.stop()
        try await broker.waitForLog("'wire-tap/end'")
        return received.filter { !ownTopics.contains($0.topic) }
    }

    /// Adds to messages the quality of service and retention with which the broker got them, as its log tells.
    ///
    /// - Returns: The messages, and what of the log does not fit them.
    func sent(_ received: [MQTTMessage]) -> (messages: [SentMessage], mismatches: [String]) {
        var log = Dictionary(grouping: publishes, by: \.topic)
        var messages: [SentMessage] = []
        var mismatches: [String] = []
        for message in received {
            guard let entry = log[message.topic]?.first else {
                mismatches.append("\(message.topic) was received more often than sent")
                continue
            }
            log[message.topic]?.removeFirst()
            if entry.size != message.payload.count { mismatches.append("\(message.topic) lost its order") }
            messages.append(SentMessage(message, qos: entry.qos, retain: entry.retain))
        }
        for (topic, rest) in log where !rest.isEmpty { mismatches.append("\(rest.count) on \(topic) were missed") }
        return (messages, mismatches)
    }

    /// How often the broker got something on a topic.
    func publishCount(on topic: String) -> Int {
        publishes.filter { $0.topic == topic }.count
    }

    private struct Publish {
        var topic: String
        var qos: Int
        var retain: Bool
        var size: Int
    }

    /// What the broker's log says that others published.
    private var publishes: [Publish] {
        broker.log.matches(
            of: /Received PUBLISH from (\S+) \(d\d, q(\d), r(\d), m\d+, '([^']*)', \.\.\. \((\d+) bytes\)\)/
        ).compactMap { match in
            guard match.1 != Self.name, let qos = Int(match.2), let size = Int(match.5) else { return nil }
            return Publish(topic: String(match.4), qos: qos, retain: match.3 == "1", size: size)
        }
    }
}

extension MQTTMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}
