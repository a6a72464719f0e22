/// Passes messages to the broker connection. Events wait until they are delivered. Of each retained topic, only the
/// newest message is kept for sending. Other messages are dropped if they cannot be sent at once.
package struct BrokerSink: MessageSink {
    private let connection: BrokerConnection
    private let base: String

    package init(connection: BrokerConnection, base: String) { (self.connection, self.base) = (connection, base) }

    package func send(_ message: Message) {
        let outgoing = MQTTMessage(message, base: base)
        if message.topic.isEvent {
            // An event's age counts from the capture of its frame, which may be long ago if the process was suspended.
            let age = message.captured.map { ContinuousClock.now - $0 } ?? .zero
            connection.publish(event: outgoing, sequence: message.sequence.map(Int64.init), age: age)
        } else if message.topic.isRetained {
            connection.publish(state: outgoing)
        } else {
            connection.publish(transient: outgoing)
        }
    }
}

extension MQTTMessage {
    /// Makes the MQTT message that carries one of the daemon's messages, on a topic under `base`.
    init(_ message: Message, base: String) {
        self.init(
            topic: message.topic.name(under: base),
            payload: message.payload,
            qos: message.topic.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: message.topic.isRetained,
            contentType: message.contentType,
            userProperties: message.userProperties.map { UserProperty($0.name, $0.value) }
        )
    }
}
