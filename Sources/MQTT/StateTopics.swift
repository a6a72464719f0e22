/// The newest message of each state topic, and which of them the broker has yet to get.
struct StateTopics {
    private struct Entry {
        var message: MQTTMessage
        var isDue = true
        /// Whether a newer message of the same topic follows, behind states that this one explains.
        var isSuperseded = false
        /// The network's number of the message that is not acknowledged yet, and when it was sent.
        var flight: (message: Int32, since: Int64)?
    }

    private let ownTopic: String?
    /// In the order in which they were last set.
    private var entries: [Entry] = []
    /// What was lately sent on this client's own topic: MQTT 3.1.1 brokers echo it, and we find it on our return.
    private var ownPayloads: [[UInt8]] = []
    private let willPayload: [UInt8]?

    init(ownTopic: String? = nil, will: MQTTMessage? = nil) {
        self.ownTopic = ownTopic
        willPayload = will?.topic == ownTopic ? will?.payload : nil
    }

    /// When the oldest message under way was sent.
    var oldestFlight: Int64? { entries.lazy.compactMap { $0.flight?.since }.min() }
    var isSettled: Bool { entries.allSatisfy { !$0.isDue && $0.flight == nil } }

    /// The topics the broker does not have the newest message of.
    var unsettledTopics: [String] { entries.filter { $0.isDue || $0.flight != nil }.map(\.message.topic) }

    /// Takes a new state.
    ///
    /// A message of our own topic that was never sent is kept if other states were set after it: "starting" has to reach
    /// subscribers before the empty count that it explains, even if the daemon streams by the time it is connected. One
    /// such message is kept at most.
    mutating func set(_ message: MQTTMessage) {
        var new = Entry(message: message)
        if let index = index(of: message.topic) {
            let explains = message.topic == ownTopic && entries[index].isDue && index != entries.indices.last
            if explains, !entries.contains(where: \.isSuperseded) {
                entries[index].isSuperseded = true
            } else {
                new.flight = entries.remove(at: index).flight
            }
        }
        entries.append(new)
    }

    /// The next state to send; it is not due any more then.
    ///
    /// States go out in the order in which they were set, after a new connection too: a subscriber never sees no face
    /// reported by a daemon that it still believes to be watching. A topic whose last message is not acknowledged yet
    /// waits, so that a slow network gets the newest only; nothing overtakes this client's own topic.
    mutating func nextDue() -> MQTTMessage? {
        let next = entries.firstIndex { $0.isDue && ($0.flight == nil || $0.message.topic == ownTopic) }
        guard let index = next, entries[index].flight == nil else { return nil }
        entries[index].isDue = false
        let message = entries[index].message
        if entries[index].isSuperseded { entries.remove(at: index) }
        if message.topic == ownTopic {
            ownPayloads.append(message.payload)
            if ownPayloads.count > 16 { ownPayloads.removeFirst() }
        }
        return message
    }

    /// Notes that a topic's message is under way and will be acknowledged.
    mutating func markSent(_ topic: String, message: Int32, at time: Int64) {
        guard let index = index(of: topic) else { return }
        entries[index].flight = (message, time)
    }

    /// Notes the broker's answer to a message; its topic is due again if the broker could not take it now.
    mutating func acknowledge(message: Int32, isDueAgain: Bool = false) {
        guard let index = entries.firstIndex(where: { $0.flight?.message == message }) else { return }
        entries[index].flight = nil
        entries[index].isDue = entries[index].isDue || isDueAgain
    }

    /// Notes that the broker has to get everything anew.
    mutating func connectionLost() {
        for index in entries.indices {
            entries[index].isDue = true
            entries[index].flight = nil
        }
    }

    /// Whether a message on this client's own topic is another client's.
    func isForeign(_ message: MQTTMessage) -> Bool {
        guard message.topic == ownTopic, let index = index(of: message.topic) else { return false }
        return !(ownPayloads + [entries[index].message.payload]).contains(message.payload)
    }

    /// Whether what the broker has kept on this client's own topic is another client's, and not our will either.
    func isRivals(_ message: MQTTMessage) -> Bool {
        !message.payload.isEmpty && message.payload != willPayload && isForeign(message)
    }

    /// Makes the message of this client's own topic due again.
    mutating func renewOwn() { renew([ownTopic].compactMap(\.self)) }

    /// Makes the messages of these topics due again.
    mutating func renew(_ topics: [String]) {
        for index in topics.compactMap(index(of:)) { entries[index].isDue = true }
    }

    private func index(of topic: String) -> Int? {
        entries.firstIndex { $0.message.topic == topic && !$0.isSuperseded }
    }
}
