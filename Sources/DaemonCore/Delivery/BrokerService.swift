/// Maintains the broker connection, and carries out the commands on `detect/set`, `smile/set` and `zones/set`.
struct BrokerService: Service {
    let delivery: Delivery
    let camera: SessionService
    let status: StatusReporter
    let base: String
    let logger: Logger
    private let limiter = LogLimiter()

    /// Valid example payloads, logged when a command is refused.
    private static let examples: [Topic: String] = [
        .smileSet: #"{"level": 0.7, "hold": 0}"#, .zoneSet: #"{"zone": "desk", "on": false}"#,
    ]

    /// Runs until the daemon ends, then sends the waiting messages. Throws `UndeliveredEvents` if events remain unsent
    /// because the broker refuses the connection, for example because of a wrong password.
    func run() async throws {
        let connection = delivery.connection
        let refusal = Monitor<String?>(nil)
        for topic in Topic.commands { try connection.subscribe(topic.name(under: base)) }
        try await delivery.homeAssistant.begin()
        try connection.start()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await condition in delivery.outbox.conditions { status.outbox(condition) }
                }
                var isFirst = true
                for await occurrence in connection.occurrences {
                    switch occurrence {
                    case .message(let message): await handle(message)
                    case .connection(.refused(let reason)): refusal.update { $0 = reason }
                    case .connection(.connected(_, let broker)):
                        refusal.update { $0 = nil }
                        status.connected(to: broker)
                        // Not before there is a connection: an event that waits too long is dropped, but this one may
                        // be about a lamp that must be switched off.
                        if isFirst { status.publisher.publishLeavesOfLastRun() }
                        isFirst = false
                    case .connection: break
                    }
                }
            }
        }
        // What the broker does not take within this time is logged below: people expect Ctrl-C to work.
        let report = await connection.stop(timeout: .milliseconds(700))
        try await delivery.homeAssistant.end(report)
        guard report.unsentEvents > 0 else { return }
        logger.warning("events were not delivered", metadata: ["events": "\(report.unsentEvents)"])
        if let reason = refusal.update({ $0 }) {
            throw UndeliveredEvents(count: report.unsentEvents, reason: reason)
        }
    }

    private func handle(_ message: MQTTMessage) async {
        guard !delivery.homeAssistant.handles(message) else { return }
        guard let topic = Topic.commands.first(where: { message.topic == $0.name(under: base) }) else { return }
        // An empty payload only clears a retained command.
        guard !message.payload.isEmpty else { return }
        guard !message.retain else {
            logger.warning(
                "ignored a retained command on \(message.topic): it may be any age",
                limiter: limiter,
                metadata: ["remedy": "clear it with `mosquitto_pub -r -n -t \(message.topic)`"]
            )
            return
        }
        do {
            switch try MessageDecoder().decode(message.payload, on: topic) {
            case .detectSet(let isOn):
                // Stored first: a switch that took effect must not be undone by a crash.
                try await delivery.ledger.keep(switch: isOn)
                camera.setDetection(isOn)
            case .smileSet(let change): camera.setSmile(change)
            case .zoneSet(let command): try camera.setZone(command)
            default: break
            }
        } catch {
            let shown = String(decoding: message.payload.prefix(40), as: UTF8.self).debugDescription
            logger.warning(
                "refused a command on \(message.topic)",
                limiter: limiter,
                metadata: [
                    "payload": "\(shown)", "reason": "\(error)",
                    "expected": "\(Self.examples[topic] ?? "ON or OFF")",
                ]
            )
        }
    }
}

/// The error that events remained undelivered at the end because the broker refuses the connection.
struct UndeliveredEvents: Error, CustomStringConvertible {
    var count: Int
    var reason: String

    var description: String { "\(count == 1 ? "1 event was" : "\(count) events were") not delivered: \(reason)" }
}
