/// Announces the device to Home Assistant, and again whenever Home Assistant starts. Removes it if discovery is off.
/// Also removes the daemon's own retained messages that an earlier run published and this one does not.
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
        remember(settings)
    }

    /// Announces or removes the device, before connecting. Throws `MQTTError` for a bad prefix, or `SystemError`.
    func begin() async throws {
        try await onThread(named: "outbox") { [self] in
            if isOn { try connection.subscribe(discovery.withLock(\.birthTopic)) }
            let (left, own) = announcedTopics
            // Stored before anything is sent: after a crash in between, a topic may be cleared twice, but no device is
            // left behind.
            if !(left + own).isEmpty { store.set((left + own).sorted(), for: Self.key) }
            for topic in left {
                logger.info("removing what an earlier run left retained", metadata: ["topic": "\(topic)"])
                connection.publish(state: Self.message(topic: topic, payload: []))
            }
            if isOn { announce() }
        }
    }

    /// The topics of discovery, and those that `publish` selects, on which this daemon has retained messages. `own` are
    /// this run's. `left` are those that only earlier runs, with other settings, used and that must be cleared.
    private var announcedTopics: (left: [String], own: [String]) {
        let (discovery, settings) = discovery.withLock { ($0.topic, $0.settings) }
        let figures = settings.publish.filter(\.isRetained).map { $0.name(under: settings.mqtt.topic) }
        let own = figures + (isOn ? [discovery] : [])
        return (store.list(for: Self.key).filter { !own.contains($0) }, own)
    }

    /// Returns whether a message is Home Assistant's status. Announces the device again if the status is `online`.
    func handles(_ message: MQTTMessage) -> Bool {
        guard isOn, message.topic == discovery.withLock(\.birthTopic) else { return false }
        if message.payload == Array("online".utf8) { announce() }
        return true
    }

    /// Stores, once the connection has stopped, which topics of earlier runs still must be cleared.
    func end(_ report: StopReport) async throws {
        try await onThread(named: "outbox") { [self] in
            // The same topics as at the beginning: neither the list nor the own topic has changed since.
            let (left, own) = announcedTopics
            guard !left.isEmpty else { return }
            store.set((own + left.filter(report.unsentTopics.contains)).sorted(), for: Self.key)
        }
    }

    /// Announces the entities of reloaded settings, and removes those of former ones. Does nothing if none has changed.
    func use(_ settings: Settings) {
        let former = discovery.withLock(\.self)
        remember(settings)
        if isOn, (try? former.payload()) != (try? discovery.withLock(\.self).payload()) { announce() }
    }

    /// Takes over what does not need a restart. Stores the names of the zones and of former zones, so that the former
    /// zones' entities can be removed.
    private func remember(_ settings: Settings) {
        let names = settings.tracking.zones.map(\.name)
        let stored = store.list(for: Self.zonesKey)
        let former = Array(stored.filter { !names.contains($0) }.suffix(100))
        discovery.withLock { discovery in
            discovery.settings.tracking.zones = settings.tracking.zones
            discovery.settings.preview = settings.preview
            discovery.settings.metadata = settings.metadata
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
    /// Returns the texts stored under a key. They are separated by U+0000, which they must not contain.
    fileprivate func list(for key: String) -> [String] {
        String(decoding: value(for: key) ?? [], as: UTF8.self).split(separator: "\0").map(String.init)
    }

    fileprivate func set(_ list: [String], for key: String) {
        set(list.isEmpty ? nil : Array(list.joined(separator: "\0").utf8), for: key)
    }
}
