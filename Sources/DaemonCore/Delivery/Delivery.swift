/// The parts that only a daemon with a broker has, such as the outbox and the connection.
struct Delivery: Sendable {
    let outbox: Outbox
    let connection: BrokerConnection
    let sink: BrokerSink
    let ledger: Ledger
    let homeAssistant: HomeAssistantAnnouncer

    /// Opens the outbox without connecting yet. Throws an error that says which setting cannot work and why.
    init(_ settings: Settings, origin: MessageOrigin, environment: [String: String], logger: Logger) throws {
        let path = settings.outbox.path ?? OutboxLocation.path(topic: settings.mqtt.topic, environment: environment)
        outbox = try Outbox(path: path, logger: logger)
        let broker = try settings.mqtt.brokerSettings(origin: origin, environment: environment)
        connection = try BrokerConnection(settings: broker, rules: settings.outbox.rules, store: outbox, logger: logger)
        sink = BrokerSink(connection: connection, base: settings.mqtt.topic)
        ledger = Ledger(store: outbox, keepsSwitch: settings.detection.remember)
        homeAssistant = HomeAssistantAnnouncer(settings, store: outbox, connection: connection, logger: logger)
        if let lastSwitch = ledger.lastSwitch, lastSwitch != settings.detection.enabled {
            logger.info("detection stays as it was last switched", metadata: ["detect": lastSwitch ? "ON" : "OFF"])
        }
    }

    /// The numbers of messages sent, waiting and dropped so far, and the state of the outbox.
    var figures: DaemonStats.Messages { DaemonStats.Messages(connection.counters, outbox.condition) }
}

extension DaemonStats.Messages {
    init(_ counters: DeliveryCounters, _ condition: StoreCondition) {
        self.init()
        sent = counters.sent
        queued = counters.queuedEvents
        unsafe = counters.unsafeEvents
        outbox = DaemonStatus.Outbox(condition)
        for (reason, count) in counters.dropped { dropped[reason.rawValue] = count }
        expired = dropped.removeValue(forKey: DeliveryCounters.Drop.expired.rawValue) ?? 0
    }
}
