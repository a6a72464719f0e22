import FacetTestSupport
import MQTT

/// A subscriber of a real broker that sees everything.
final class Observer {
    let connection: BrokerConnection
    private var early: [MQTTMessage] = []
    private var messages: AsyncCompactMapSequence<AsyncStream<BrokerConnection.Occurrence>, MQTTMessage>.Iterator

    /// Subscribes to a broker and waits until that has taken effect.
    convenience init(of broker: MosquittoBroker, to filter: String = "faces/#") async throws {
        try await self.init(port: broker.port, to: filter)
    }

    init(port: Int, to filter: String = "faces/#") async throws {
        var settings = BrokerSettings(
            host: "127.0.0.1",
            port: port,
            clientID: "observer-\(UInt32.random(in: 0 ... .max))"
        )
        settings.incomingCapacity = 10_000
        settings.reconnectDelay = .milliseconds(20) ... .milliseconds(50)
        connection = try BrokerConnection(testing: settings)
        messages = connection.occurrences.compactMap(\.message).makeAsyncIterator()
        try connection.subscribe(filter)
        try connection.subscribe("observer/ready")
        // Sent after the subscriptions on every connection, so its echo proves them.
        connection.publish(state: MQTTMessage(topic: "observer/ready", text: "ready"))
        try connection.start()
        await ready()
    }

    /// Waits until the observer is subscribed again after a loss.
    func ready() async {
        while let message = await messages.next(isolation: #isolation), message.topic != "observer/ready" {
            // What the broker had kept comes before.
            early.append(message)
        }
    }

    /// The topic of what `mark` leaves among the messages.
    static let mark = "observer/mark"

    /// Leaves a mark where `ready` has just found the observer to be subscribed again.
    func mark() {
        early.append(MQTTMessage(topic: Self.mark, payload: []))
    }

    /// The next message, the observer's own signs of life left out.
    func next() async -> MQTTMessage {
        if !early.isEmpty { return early.removeFirst() }
        while let message = await messages.next(isolation: #isolation) {
            if message.topic != "observer/ready" { return message }
        }
        return MQTTMessage(topic: "", payload: Array("the observer's connection has ended".utf8))
    }

    /// The next messages.
    func next(_ count: Int) async -> [MQTTMessage] {
        var received: [MQTTMessage] = []
        while received.count < count { received.append(await next()) }
        return received
    }
}

extension MQTTMessage {
    /// The payload as text.
    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension AsyncStream where Element: Sendable {
    /// The first element that satisfies a condition; ends the test when there is none.
    @discardableResult
    func first(where condition: @Sendable (Element) -> Bool) async -> Element? {
        for await element in self where condition(element) { return element }
        return nil
    }
}
