/// Finds the messages that make the broker close the connection. A broker of MQTT 3.1.1 has no other answer to a
/// message that is too large, is retained although the broker keeps none, or has a forbidden topic.
///
/// Once two connections have ended soon after a message, messages are sent one at a time. If two connections then end
/// at a message with the same topic and retain flag, only smaller messages of this kind are sent.
struct ClosingMessages {
    /// The cause found for the end of a connection.
    enum Finding: Equatable {
        /// The broker closes the connection at this message.
        case message(topic: String, size: Int, isRetained: Bool)
        /// The broker closes the connection at every retained message.
        case retained
    }

    private struct Kind: Hashable {
        let topic: String
        let isRetained: Bool
    }

    /// The number of ended connections after which messages are sent one at a time. Also the number of connections that
    /// must end at messages of one topic and retain flag before such messages are left out.
    static let limit = 2
    /// The number of topics whose retained messages must end connections before nothing is sent as retained any more.
    static let retainedLimit = 3
    /// How soon after a message, in nanoseconds, a connection must end for the message to be suspected.
    static let answer: Int64 = 6_000_000_000
    /// How long a connection must last, in nanoseconds, before messages are again sent without waiting for answers.
    static let calm: Int64 = 60_000_000_000

    /// Whether the broker accepts retained messages.
    private(set) var takesRetained = true
    private var broker = 0
    private var endings = 0
    private var connected: Int64 = 0
    private var lastSent: Int64 = .min
    /// The message that was sent alone and that the broker has not answered yet.
    private var single: (kind: Kind, size: Int)?
    /// How often the connection ended at a message that was sent alone, by the message's topic and retain flag.
    private var strikes: [Kind: Int] = [:]
    /// The size in bytes of the smallest message that ends the connection, by the message's topic and retain flag.
    private var sizes: [Kind: Int] = [:]
    private var hasKeptRetained = false

    /// Whether messages are sent one at a time, to find the one that ends the connection.
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

    /// Notes that a message was sent; returns whether to wait for its answer before the next one.
    mutating func sent(_ message: MQTTMessage, at now: Int64) -> Bool {
        lastSent = now
        if now - connected > Self.calm { endings = 0 }
        guard isSearching else { return false }
        single = (Kind(topic: message.topic, isRetained: message.retain), message.size)
        return true
    }

    /// Notes that the broker has answered the message that was sent alone.
    mutating func answered() {
        guard let (kind, _) = single else { return }
        if kind.isRetained { hasKeptRetained = true }
        strikes[kind] = nil
        single = nil
    }

    /// Notes the end of a connection; returns the cause once it is found.
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
    /// The number of bytes of the topic and the payload.
    var size: Int { topic.utf8.count + payload.count }
}
