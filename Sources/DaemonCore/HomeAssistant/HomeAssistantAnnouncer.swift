import Logging
import MQTT
import Synchronization

/// Tells Home Assistant of the device, again whenever it has started, and takes it back once discovery is off.
final class HomeAssistantAnnouncer: Sendable {
    private static let key = "homeAssistantTopics"

    private let discovery: HomeAssistantDiscovery
    private let isOn: Bool
    private let store: any EventStore
    private let logger: Logger
    /// The topics that this run empties.
    private let leftovers = Mutex<[String]>([])

    init(_ discovery: HomeAssistantDiscovery, isOn: Bool, store: any EventStore, logger: Logger) {
        self.discovery = discovery
        self.isOn = isOn
        self.store = store
        self.logger = logger
    }

    /// Begins, before the connection starts.
    ///
    /// - Throws: `MQTTError.topic` if the prefix makes no topic.
    func begin(on connection: BrokerConnection) throws {
        if isOn { try connection.subscribe(discovery.birthTopic) }
        var announced = AnnouncedTopics(stored: store.value(for: Self.key))
        let left = announced.begin(announcing: isOn ? discovery.topic : nil)
        leftovers.withLock { $0 = left }
        // Kept before anything is sent: a crash in between leaves a note too many, not a device too many.
        if !announced.topics.isEmpty { store.set(announced.stored, for: Self.key) }
        for topic in left {
            logger.info("removing the device from Home Assistant", metadata: ["topic": "\(topic)"])
            connection.publish(state: Self.message(topic: topic, payload: []))
        }
        if isOn { try announce(on: connection) }
    }

    /// Whether a message was Home Assistant's; if it has started, it is told of the device.
    func handles(_ message: ReceivedMessage, on connection: BrokerConnection) -> Bool {
        guard isOn, message.topic == discovery.birthTopic else { return false }
        if message.payload == Array("online".utf8) {
            do { try announce(on: connection) } catch { logger.error("cannot write discovery: \(error)") }
        }
        return true
    }

    /// Ends, after the connection has stopped.
    func end(_ report: StopReport) {
        let left = leftovers.withLock(\.self)
        guard !left.isEmpty else { return }
        var announced = AnnouncedTopics(stored: store.value(for: Self.key))
        announced.emptied(left, butNot: report.unsentTopics)
        store.set(announced.stored, for: Self.key)
    }

    private func announce(on connection: BrokerConnection) throws {
        connection.publish(state: Self.message(topic: discovery.topic, payload: try discovery.payload()))
    }

    private static func message(topic: String, payload: [UInt8]) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, retain: true, contentType: "application/json")
    }
}
