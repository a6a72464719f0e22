import Synchronization

/// Publishes the discovery message, again whenever Home Assistant starts, and removes the device with discovery off.
final class HomeAssistantAnnouncer: Sendable {
    private static let key = "homeAssistantTopics"
    private static let zonesKey = "homeAssistantZones"

    private let discovery: Mutex<HomeAssistantDiscovery>
    private let isOn: Bool
    private let store: Outbox
    private let connection: BrokerConnection
    private let logger: Logger

    init(_ settings: Settings, store: Outbox, connection: BrokerConnection, logger: Logger) {
        discovery = Mutex(HomeAssistantDiscovery(settings: settings))
        isOn = settings.homeAssistant.discovery
        self.store = store
        self.connection = connection
        self.logger = logger
        remember(settings.tracking.zones)
    }

    /// Announces the device before the connection starts. Throws `MQTTError` for a bad prefix, or `SystemError`.
    func begin() async throws {
        try await onThread(named: "outbox") { [self] in
            if isOn { try connection.subscribe(discovery.withLock(\.birthTopic)) }
            let (left, own) = announcedTopics
            // Stored before anything is sent: after a crash in between, a topic without a message is emptied once more,
            // but no device stays behind.
            if !(left + own).isEmpty { store.set((left + own).sorted(), for: Self.key) }
            for topic in left {
                logger.info("removing the device from Home Assistant", metadata: ["topic": "\(topic)"])
                connection.publish(state: Self.message(topic: topic, payload: []))
            }
            if isOn { announce() }
        }
    }

    /// The discovery topics that have a message of this daemon: those of earlier runs, and this run's own if it
    /// announces. Earlier ones are emptied when discovery is switched off, or the base or the prefix changes.
    private var announcedTopics: (left: [String], own: [String]) {
        let own = isOn ? [discovery.withLock(\.topic)] : []
        return (store.list(for: Self.key).filter { !own.contains($0) }, own)
    }

    /// Whether a message came from Home Assistant; if that has started, the device is announced again.
    func handles(_ message: MQTTMessage) -> Bool {
        guard isOn, message.topic == discovery.withLock(\.birthTopic) else { return false }
        if message.payload == Array("online".utf8) { announce() }
        return true
    }

    /// Ends the announcement, after the connection has stopped.
    func end(_ report: StopReport) async throws {
        try await onThread(named: "outbox") { [self] in
            // The same topics as at the beginning: neither the list nor the own topic has changed since.
            let (left, own) = announcedTopics
            guard !left.isEmpty else { return }
            store.set((own + left.filter(report.unsentTopics.contains)).sorted(), for: Self.key)
        }
    }

    /// Announces the entities of other zones from now on.
    func use(_ zones: [Zone]) {
        guard zones.map(\.name) != discovery.withLock(\.zones) else { return }
        remember(zones)
        if isOn { announce() }
    }

    /// Remembers the zones and all that were announced before: Home Assistant keeps an entity until it is removed.
    private func remember(_ zones: [Zone]) {
        let names = zones.map(\.name)
        let stored = store.list(for: Self.zonesKey)
        let former = Array(stored.filter { !names.contains($0) }.suffix(100))
        discovery.withLock { discovery in
            discovery.settings.tracking.zones = zones
            discovery.formerZones = former
        }
        if isOn, former + names != stored { store.set(former + names, for: Self.zonesKey) }
    }

    private func announce() {
        let discovery = discovery.withLock(\.self)
        do {
            connection.publish(state: Self.message(topic: discovery.topic, payload: try discovery.payload()))
        } catch {
            logger.error("cannot write discovery: \(error)")
        }
    }

    private static func message(topic: String, payload: [UInt8]) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, retain: true, contentType: "application/json")
    }
}

extension Outbox {
    /// The texts that are stored under a key, none with U+0000.
    fileprivate func list(for key: String) -> [String] {
        String(decoding: value(for: key) ?? [], as: UTF8.self).split(separator: "\0").map(String.init)
    }

    fileprivate func set(_ list: [String], for key: String) {
        set(list.isEmpty ? nil : Array(list.joined(separator: "\0").utf8), for: key)
    }
}
