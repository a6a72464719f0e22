/// Finds the messages at which the broker closes the connection: MQTT 3.1.1 has no other answer to a message that is
/// too large, that is retained where nothing is kept, or whose topic is denied.
///
/// After two connections in a row that ended soon after a message, messages go out one by one. One with which the
/// connection ends twice is left out until a smaller one of its topic comes.
struct ClosingMessages {
    /// The cause that was found at the end of a connection.
    enum Finding: Equatable {
        /// This message ends the connection.
        case message(topic: String, size: Int, isRetained: Bool)
        /// Every retained message ends the connection.
        case retained
    }

    private struct Kind: Hashable {
        let topic: String
        let isRetained: Bool
    }

    /// The number of connections in a row, or of ends with the same message alone, that are not a coincidence.
    static let limit = 2
    /// The number of topics with a retained message that ended the connection from which on all are taken to do so.
    static let retainedLimit = 3
    /// The nanoseconds after a message within which the end of the connection is because of it.
    static let answer: Int64 = 6_000_000_000
    /// The nanoseconds without an end of the connection after which messages are sent as usual.
    static let calm: Int64 = 60_000_000_000

    /// Whether the broker takes retained messages.
    private(set) var takesRetained = true
    private var broker = 0
    private var endings = 0
    private var connected: Int64 = 0
    private var lastSent: Int64 = .min
    /// The message that was sent alone and is not acknowledged yet.
    private var single: (kind: Kind, size: Int)?
    /// The number of times that the connection ended while a message of a kind was the only one not acknowledged.
    private var strikes: [Kind: Int] = [:]
    /// The size of the smallest message of a kind that ends the connection.
    private var sizes: [Kind: Int] = [:]
    private var hasKeptRetained = false

    /// Whether messages are sent one by one, events first, to find the one that ends the connection.
    var isSearching: Bool { endings >= Self.limit }
    var takesMore: Bool { single == nil }

    func takes(_ message: MQTTMessage) -> Bool {
        let kind = Kind(topic: message.topic, isRetained: message.retain && takesRetained)
        return sizes[kind].map { message.size < $0 } ?? true
    }

    mutating func connected(to broker: Int, at now: Int64) {
        if broker != self.broker { self = ClosingMessages() }
        self.broker = broker
        connected = now
        single = nil
        lastSent = .min
    }

    /// Notes that a message was sent. Returns whether its answer is waited for.
    mutating func sent(_ message: MQTTMessage, at now: Int64) -> Bool {
        lastSent = now
        if now - connected > Self.calm { endings = 0 }
        guard isSearching else { return false }
        single = (Kind(topic: message.topic, isRetained: message.retain), message.size)
        return true
    }

    /// Notes that the broker has acknowledged what was sent.
    mutating func answered() {
        guard let (kind, _) = single else { return }
        if kind.isRetained { hasKeptRetained = true }
        strikes[kind] = nil
        single = nil
    }

    /// Notes the end of a connection; returns the cause if it was found.
    mutating func ended(at now: Int64) -> Finding? {
        defer { single = nil }
        if now - connected > Self.calm { endings = 0 }
        guard let (kind, size) = single else {
            if lastSent > now - Self.answer { endings += 1 }
            return nil
        }
        strikes[kind, default: 0] += 1
        guard strikes[kind, default: 0] >= Self.limit else { return nil }
        sizes[kind] = min(size, sizes[kind] ?? size)
        let retained = sizes.keys.filter(\.isRetained)
        guard kind.isRetained, takesRetained, !hasKeptRetained, retained.count >= Self.retainedLimit else {
            return .message(topic: kind.topic, size: size, isRetained: kind.isRetained)
        }
        takesRetained = false
        return .retained
    }
}

extension MQTTMessage {
    /// The bytes of the topic and the payload.
    var size: Int { topic.utf8.count + payload.count }
}
