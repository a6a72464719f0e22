import FaceMessages
import Logging
import MQTT
import ServiceLifecycle

/// Keeps the connection to the broker, and obeys what comes in on `detect/set`.
struct BrokerService: Service {
    let connection: BrokerConnection
    let base: String
    let setDetection: @Sendable (Bool) -> Void
    /// Called on the first connection.
    let onFirstConnection: @Sendable () -> Void
    let homeAssistant: HomeAssistantAnnouncer
    let logger: Logger

    /// Runs until the daemon ends, then sends what waits.
    func run() async throws {
        try connection.subscribe(Topic.detectSet.name(under: base))
        try homeAssistant.begin(on: connection)
        try connection.start()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await state in connection.states where state.isConnected {
                        onFirstConnection()
                        break
                    }
                }
                for await message in connection.incoming { obey(message) }
            }
        }
        // What the broker does not take within this time is told below, not waited for: people expect Ctrl-C to work.
        let report = await connection.stop(timeout: .milliseconds(700))
        homeAssistant.end(report)
        guard report.unsentEvents > 0 else { return }
        logger.warning("events were not delivered", metadata: ["events": "\(report.unsentEvents)"])
    }

    private func obey(_ message: ReceivedMessage) {
        guard !homeAssistant.handles(message, on: connection) else { return }
        guard message.topic == Topic.detectSet.name(under: base) else { return }
        guard !message.retained else {
            logger.warning(
                "ignored a retained command on \(message.topic): it may be any age",
                metadata: ["remedy": "clear it with `mosquitto_pub -r -n -t \(message.topic)`"]
            )
            return
        }
        do {
            guard case .detectState(let isOn) = try MessageDecoder().decode(message.payload, on: .detectSet) else {
                return
            }
            setDetection(isOn)
        } catch {
            let shown = String(decoding: message.payload.prefix(40), as: UTF8.self).debugDescription
            logger.warning(
                "refused a command on \(message.topic)",
                metadata: ["payload": "\(shown)", "reason": "\(error)", "expected": "ON or OFF"]
            )
        }
    }
}
