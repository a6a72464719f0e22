import DequeModule

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

/// The occurrences that wait for the reader of a `BrokerConnection`, in their order. If there are too many messages,
/// the oldest message is dropped; if there are too many changes of the connection, the oldest change.
struct OccurrenceQueue {
    private static let mostChanges = 64

    private let mostMessages: Int
    private var waiting: Deque<BrokerConnection.Occurrence> = []

    init(capacity: Int) { mostMessages = max(1, capacity) }

    /// Adds an occurrence; returns whether a message was dropped to make room.
    mutating func put(_ new: BrokerConnection.Occurrence) -> Bool {
        let isMessage = new.message != nil
        waiting.append(new)
        let alike = waiting.indices.filter { (waiting[$0].message != nil) == isMessage }
        guard alike.count > (isMessage ? mostMessages : Self.mostChanges) else { return false }
        waiting.remove(at: alike[0])
        return isMessage
    }

    mutating func removeFirst() -> BrokerConnection.Occurrence? { waiting.popFirst() }
}
