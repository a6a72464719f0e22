/// The newest state of each topic, and whether the broker has received it.
struct StateTopics {
    private struct Entry {
        var message: MQTTMessage
        var isDue = true
        /// Whether a newer message of the topic waits behind this one. This one is still sent first.
        var isSuperseded = false
        /// Whether the broker has not answered the topic's last sent message yet.
        var isUnderWay = false
    }

    private let ownTopic: String?
    /// The states in the order in which they were last set.
    private var entries: [Entry] = []
    /// The last payloads on this client's own topic, to recognise them when a broker of MQTT 3.1.1 sends them back.
    private var ownPayloads: [[UInt8]] = []
    private let willPayload: [UInt8]?

    init(ownTopic: String? = nil, will: MQTTMessage? = nil) {
        self.ownTopic = ownTopic
        willPayload = will?.topic == ownTopic ? will?.payload : nil
    }

    /// The topics whose newest state the broker has not confirmed.
    var unsettledTopics: [String] { entries.filter { $0.isDue || $0.isUnderWay }.map(\.message.topic) }

    /// Sets the newest state of a topic, which replaces the topic's earlier state.
    ///
    /// As an exception, one unsent state of this client's own topic is still sent if other states were set after it,
    /// because it explains them: subscribers must get "starting" before the first count of zero faces.
    mutating func set(_ message: MQTTMessage) {
        var new = Entry(message: message)
        if let index = index(of: message.topic) {
            let explains = message.topic == ownTopic && entries[index].isDue && index != entries.indices.last
            if explains, !entries.contains(where: \.isSuperseded) {
                entries[index].isSuperseded = true
            } else {
                new.isUnderWay = entries.remove(at: index).isUnderWay
            }
        }
        entries.append(new)
    }

    /// Returns the next state to send, which is in flight until `settle`.
    ///
    /// States are sent in the order in which they were set, also on a new connection: a subscriber never sees "no face"
    /// before it knows that the daemon stopped watching. A topic waits for the answer to its last message, so that a
    /// slow network gets only the newest state. No state overtakes one of this client's own topic.
    mutating func nextDue() -> MQTTMessage? {
        let next = entries.firstIndex { $0.isDue && (!$0.isUnderWay || $0.message.topic == ownTopic) }
        guard let index = next, !entries[index].isUnderWay else { return nil }
        entries[index].isDue = false
        let message = entries[index].message
        if entries[index].isSuperseded { entries.remove(at: index) }
        if let newest = self.index(of: message.topic) { entries[newest].isUnderWay = true }
        if message.topic == ownTopic {
            ownPayloads.append(message.payload)
            if ownPayloads.count > 16 { ownPayloads.removeFirst() }
        }
        return message
    }

    /// Notes that no answer to a topic's last message is awaited any more. If `isDueAgain`, its state is sent again.
    mutating func settle(_ topic: String, isDueAgain: Bool = false) {
        // A message that was superseded since then may be marked, too.
        for index in entries.indices where entries[index].message.topic == topic {
            entries[index].isUnderWay = false
            entries[index].isDue = entries[index].isDue || isDueAgain
        }
    }

    /// Marks all states as due again, since the next connection needs them all.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isDue = true
            entries[index].isUnderWay = false
        }
    }

    /// Whether a message on this client's own topic comes from another client.
    func isForeign(_ message: MQTTMessage) -> Bool {
        guard message.topic == ownTopic, let index = index(of: message.topic) else { return false }
        return !(ownPayloads + [entries[index].message.payload]).contains(message.payload)
    }

    /// Whether a retained message on this client's own topic is another client's state, and not this client's will.
    func isRivals(_ message: MQTTMessage) -> Bool {
        !message.payload.isEmpty && message.payload != willPayload && isForeign(message)
    }

    mutating func renewOwn() { renew([ownTopic].compactMap(\.self)) }

    /// Marks the states of these topics as due again.
    mutating func renew(_ topics: [String]) {
        for index in topics.compactMap(index(of:)) { entries[index].isDue = true }
    }

    private func index(of topic: String) -> Int? {
        entries.firstIndex { $0.message.topic == topic && !$0.isSuperseded }
    }
}
