extension BrokerConnection {
    /// A change of the connection, or a received message.
    package enum Occurrence: Hashable, Sendable {
        case connection(ConnectionState)
        /// A message received on one of the subscribed topics.
        case message(MQTTMessage)

        package var state: ConnectionState? { if case .connection(let state) = self { state } else { nil } }
        package var message: MQTTMessage? { if case .message(let message) = self { message } else { nil } }
    }
}

/// The occurrences that wait for the reader of a `BrokerConnection`, in their order. If there are too many messages or
/// their bytes are too many, the oldest messages are dropped; if there are too many changes, the oldest change.
typealias OccurrenceQueue = LimitedQueue<BrokerConnection.Occurrence>

extension OccurrenceQueue {
    private static let mostChanges = 64

    /// Makes a queue for `capacity` messages.
    init(capacity: Int) {
        self.init(atMost: [max(1, capacity), Self.mostChanges, Self.mostBytes]) { occurrence in
            occurrence.message.map { [1, 0, $0.memory] } ?? [0, 1, 0]
        }
    }
}

extension MQTTMessage {
    /// The approximate number of bytes that a received message takes in memory.
    fileprivate var memory: Int {
        userProperties.reduce(size + (contentType?.utf8.count ?? 0)) { sum, property in
            sum + MemoryLayout<UserProperty>.stride + property.name.utf8.count + property.value.utf8.count
        }
    }
}
