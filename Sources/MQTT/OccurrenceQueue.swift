import DequeModule

extension BrokerConnection {
    /// What a connection tells its reader.
    package enum Occurrence: Hashable, Sendable {
        case connection(ConnectionState)
        /// A message on one of the topics subscribed to.
        case message(MQTTMessage)

        package var state: ConnectionState? { if case .connection(let state) = self { state } else { nil } }
        package var message: MQTTMessage? { if case .message(let message) = self { message } else { nil } }
    }
}

/// What waits for a connection's reader, in order.
///
/// When there are too many messages the oldest is dropped, and when there are too many changes of the connection the oldest
/// of these: a later one says as much about the messages behind both.
struct OccurrenceQueue {
    private static let mostChanges = 64

    private let mostMessages: Int
    private var waiting: Deque<BrokerConnection.Occurrence> = []
    private var messages = 0

    init(capacity: Int) { mostMessages = max(1, capacity) }

    /// Adds an occurrence; returns whether a message had to make room.
    mutating func put(_ new: BrokerConnection.Occurrence) -> Bool {
        let isMessage = new.message != nil
        waiting.append(new)
        if isMessage { messages += 1 }
        let isOver = isMessage ? messages > mostMessages : waiting.count - messages > Self.mostChanges
        guard isOver, let oldest = waiting.firstIndex(where: { ($0.message != nil) == isMessage }) else { return false }
        waiting.remove(at: oldest)
        if isMessage { messages -= 1 }
        return isMessage
    }

    mutating func removeFirst() -> BrokerConnection.Occurrence? {
        guard let first = waiting.popFirst() else { return nil }
        if first.message != nil { messages -= 1 }
        return first
    }
}
