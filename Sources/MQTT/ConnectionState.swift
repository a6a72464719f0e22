/// Where the connection to the broker stands; one value per change.
package enum ConnectionState: Hashable, Sendable, CustomStringConvertible {
    /// A version of the protocol.
    package enum ProtocolVersion: String, Hashable, Sendable {
        /// MQTT 5.
        case version5 = "MQTT 5"
        /// MQTT 3.1.1.
        case version311 = "MQTT 3.1.1"
    }

    /// The first attempt is under way.
    case connecting
    /// Connected; all states and subscriptions are being renewed.
    case connected(ProtocolVersion, sessionPresent: Bool)
    /// Not connected, and being retried; the reason.
    case disconnected(String)
    /// The broker or its certificate turned us away, which only a human can mend; the reason with the remedy. Retried.
    case refused(String)
    /// Another client with our client id took the place; the reason with the remedy. Retried after a long wait.
    case takenOver(String)
    /// `stop` was called and the connection is closed.
    case stopped

    /// The state as a log shows it.
    package var description: String {
        switch self {
        case .connecting: "connecting"
        case .connected(let version, _): "connected with \(version.rawValue)"
        case .disconnected(let reason): "disconnected: \(reason)"
        case .refused(let reason): "refused: \(reason)"
        case .takenOver(let reason): "taken over: \(reason)"
        case .stopped: "stopped"
        }
    }

    /// Whether messages can go out.
    package var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}
