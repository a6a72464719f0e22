import FaceMessages
import FaceTracking
import Logging
import MQTT

/// What a daemon with a broker has besides: the outbox, the connection, and what is kept in the one for the other.
struct Delivery: Sendable {
    let outbox: Outbox
    let connection: BrokerConnection
    let sink: BrokerSink
    let ledger: Ledger
    let homeAssistant: HomeAssistantAnnouncer
    let memory: DetectionMemory

    /// Opens the outbox; no connection is made yet.
    ///
    /// - Throws: An error that says which setting cannot work and why.
    init(_ settings: Settings, encoder: MessageEncoder, environment: [String: String], logger: Logger) throws {
        // Each base topic has its own file, because each is a daemon of its own.
        let path = settings.outbox.path ?? OutboxLocation.path(topic: settings.mqtt.topic, environment: environment)
        outbox = try Outbox(path: path, logger: logger)
        connection = try BrokerConnection(
            settings: try settings.mqtt.brokerSettings(encoder: encoder, environment: environment),
            rules: DeliveryRules(maximumAge: settings.events.maxAge, capacity: settings.outbox.capacity),
            store: outbox,
            logger: logger
        )
        sink = BrokerSink(connection: connection, base: settings.mqtt.topic)
        ledger = Ledger(store: outbox)
        homeAssistant = HomeAssistantAnnouncer(settings: settings, store: outbox, logger: logger)
        memory = DetectionMemory(in: outbox, isKept: settings.detection.remember)
        if let lastSwitch, lastSwitch != settings.detection.enabled {
            logger.info("detection stays as it was last switched", metadata: ["detect": lastSwitch ? "ON" : "OFF"])
        }
    }

    /// Whether detection was last switched on or off by a subscriber; nil if it was not, or that is not to be kept.
    var lastSwitch: Bool? { memory.isOn }

    /// Goes on with the zones of other settings.
    func use(_ settings: Settings) {
        homeAssistant.use(settings.tracking.zones, on: connection)
    }

    /// What became of messages so far.
    var figures: DaemonStats.Messages {
        var messages = DaemonStats.Messages(connection.counters)
        messages.outbox = DaemonStatus.Outbox(outbox.condition)
        return messages
    }
}

extension DaemonStats.Messages {
    init(_ counters: DeliveryCounters) {
        self.init()
        sent = counters.sent
        queued = counters.queuedEvents
        expired = counters.expired
        unsafe = counters.unsafeEvents
        for (reason, count) in counters.dropped where reason != .expired && count > 0 {
            dropped[reason.rawValue] = count
        }
    }
}
