/// The newest message of each state topic, and which of them the broker has yet to get.
struct StateBoard {
    private struct Entry {
        var message: MQTTMessage
        var isDue = true
        /// The network's number of the message under way, and when it was sent.
        var flight: (message: Int32, since: Int64)?
    }

    /// The topic that is ours alone.
    private let ownTopic: String?
    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// What was lately sent on the topic that is ours alone: MQTT 3.1.1 brokers echo it, and we find it on our return.
    private var ownPayloads: [[UInt8]] = []
    private let willPayload: [UInt8]?

    init(ownTopic: String? = nil, will: MQTTMessage? = nil) {
        self.ownTopic = ownTopic
        willPayload = will?.topic == ownTopic ? will?.payload : nil
    }

    /// When the oldest message under way was sent.
    var oldestFlight: Int64? { entries.lazy.compactMap { $0.flight?.since }.min() }

    /// Whether the broker has everything.
    var isSettled: Bool { entries.allSatisfy { !$0.isDue && $0.flight == nil } }

    /// The topics the broker does not have the newest message of.
    var unsettledTopics: [String] { entries.filter { $0.isDue || $0.flight != nil }.map(\.message.topic) }

    /// Takes a new state.
    ///
    /// - Returns: whether it took the place of one that was never sent.
    mutating func set(_ message: MQTTMessage) -> Bool {
        guard let index = indices[message.topic] else {
            indices[message.topic] = entries.count
            entries.append(Entry(message: message))
            return false
        }
        let replaced = entries[index].isDue
        entries[index].message = message
        entries[index].isDue = true
        return replaced
    }

    /// The next state to send, in the order in which the topics first came; it is not due any more then.
    ///
    /// A topic whose last message is still under way waits, so that a slow network gets the newest only.
    mutating func takeNext() -> MQTTMessage? {
        guard let index = entries.firstIndex(where: { $0.isDue && $0.flight == nil }) else { return nil }
        entries[index].isDue = false
        let message = entries[index].message
        if message.topic == ownTopic {
            ownPayloads.append(message.payload)
            if ownPayloads.count > 16 { ownPayloads.removeFirst() }
        }
        return message
    }

    /// Notes that a topic's message is under way and will be acknowledged.
    mutating func markSent(_ topic: String, message: Int32, at time: Int64) {
        guard let index = indices[topic] else { return }
        entries[index].flight = (message, time)
    }

    /// Notes an acknowledgement.
    mutating func acknowledge(message: Int32) {
        guard let index = entries.firstIndex(where: { $0.flight?.message == message }) else { return }
        entries[index].flight = nil
    }

    /// Notes that the broker has to get everything anew.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isDue = true
            entries[index].flight = nil
        }
    }

    /// Whether a message on the topic that is ours alone is somebody else's.
    func isForeign(topic: String, payload: [UInt8]) -> Bool {
        guard topic == ownTopic, let index = indices[topic] else { return false }
        return !ownPayloads.contains(payload) && entries[index].message.payload != payload
    }

    /// Whether what the broker has kept on the topic that is ours alone is another client's, and not our will either.
    func isRivals(topic: String, payload: [UInt8]) -> Bool {
        !payload.isEmpty && payload != willPayload && isForeign(topic: topic, payload: payload)
    }

    /// Makes the message of the topic that is ours alone due again.
    mutating func renewOwn() {
        guard let ownTopic, let index = indices[ownTopic] else { return }
        entries[index].isDue = true
    }
}
