/// The newest message of each state topic, and whether the broker has it.
struct StateTopics {
    private struct Entry {
        var message: MQTTMessage
        var isDue = true
        /// Whether a newer message of this topic waits. This one still goes first: states between them depend on it.
        var isSuperseded = false
        /// Whether the broker has not answered the topic's last message yet.
        var isUnderWay = false
    }

    private let ownTopic: String?
    /// The states, in the order in which they were last set.
    private var entries: [Entry] = []
    /// The last payloads on this client's own topic, which brokers of MQTT 3.1.1 send back, also after a reconnection.
    private var ownPayloads: [[UInt8]] = []
    private let willPayload: [UInt8]?

    init(ownTopic: String? = nil, will: MQTTMessage? = nil) {
        self.ownTopic = ownTopic
        willPayload = will?.topic == ownTopic ? will?.payload : nil
    }

    /// The topics of which the broker does not have the newest message.
    var unsettledTopics: [String] { entries.filter { $0.isDue || $0.isUnderWay }.map(\.message.topic) }

    /// Takes a new state.
    ///
    /// One message of our own topic that was never sent is kept if other states were set after it: "starting" has to
    /// reach subscribers before the empty count that it explains, even if frames come by the time of the connection.
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

    /// Returns the next state to send; it counts as being sent until `settle`.
    ///
    /// States go out in the order in which they were set, after a new connection too: a subscriber never sees "no face"
    /// from a daemon that it still believes to be watching. A topic whose last message is not answered waits, so that a
    /// slow network gets the newest only; nothing overtakes this client's own topic.
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

    /// Notes that a topic's last message is answered, or was not sent; it is due again if it was refused for now.
    mutating func settle(_ topic: String, isDueAgain: Bool = false) {
        // One that is superseded since may be marked, too.
        for index in entries.indices where entries[index].message.topic == topic {
            entries[index].isUnderWay = false
            entries[index].isDue = entries[index].isDue || isDueAgain
        }
    }

    /// Notes that the connection ended, so that the broker has to get all states again.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isDue = true
            entries[index].isUnderWay = false
        }
    }

    /// Whether a message on this client's own topic is another client's.
    func isForeign(_ message: MQTTMessage) -> Bool {
        guard message.topic == ownTopic, let index = index(of: message.topic) else { return false }
        return !(ownPayloads + [entries[index].message.payload]).contains(message.payload)
    }

    /// Whether a retained message on this client's own topic is another client's, and not our will either.
    func isRivals(_ message: MQTTMessage) -> Bool {
        !message.payload.isEmpty && message.payload != willPayload && isForeign(message)
    }

    /// Marks the message of this client's own topic as due again.
    mutating func renewOwn() { renew([ownTopic].compactMap(\.self)) }

    /// Marks the messages of these topics as due again.
    mutating func renew(_ topics: [String]) {
        for index in topics.compactMap(index(of:)) { entries[index].isDue = true }
    }

    private func index(of topic: String) -> Int? {
        entries.firstIndex { $0.message.topic == topic && !$0.isSuperseded }
    }
}
