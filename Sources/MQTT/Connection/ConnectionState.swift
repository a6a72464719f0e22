/// The state of the connection to the broker, reported at each change.
package enum ConnectionState: Hashable, Sendable, CustomStringConvertible {
    package enum ProtocolVersion: String, Hashable, Sendable {
        case version5 = "5"
        case version311 = "3.1.1"

        var other: Self { self == .version5 ? .version311 : .version5 }
    }

    /// The first attempt to connect is being made.
    case connecting
    /// The connection is up; states and subscriptions are being sent again. `broker` is the one in use, as `host:port`.
    case connected(ProtocolVersion, broker: String)
    /// There is no connection, for the reason in the text. Attempts continue.
    case disconnected(String)
    /// Every broker refuses the client, has an untrusted certificate or keeps sending invalid MQTT, for the reason in
    /// the text. Only a person can fix that, but attempts continue.
    case refused(String)
    /// Another client connected with the same client id, or probably did, as the text explains. Attempts become rarer.
    case takenOver(String)
    /// `stop` was called and the connection is closed.
    case stopped

    package var description: String {
        switch self {
        case .connecting: "connecting"
        case .connected(let version, let broker): "connected to \(broker) with MQTT \(version.rawValue)"
        case .disconnected(let reason): "disconnected: \(reason)"
        case .refused(let reason): "refused: \(reason)"
        case .takenOver(let reason): "taken over: \(reason)"
        case .stopped: "stopped"
        }
    }

    package var isConnected: Bool { if case .connected = self { true } else { false } }
}

/// A broker's answer that refuses a connection request.
struct Refusal: Equatable {
    /// The reason code of MQTT 5 (0x80 and above, OASIS MQTT 5.0 §3.2.2.2) or the return code of 3.1.1 (1…5, §3.2.2.3).
    let code: Int32
    var isUnsupportedVersion: Bool { code == 1 || code == 0x84 }

    /// Whether the broker may accept the same request later.
    var isTemporary: Bool { [3, 0x88, 0x89, 0x97, 0x9F].contains(code) }

    /// Whether the broker rejects the client or its password, so that a request without the old session does not help.
    var isAboutCredentials: Bool { [4, 5, 0x86, 0x87, 0x8A, 0x8C].contains(code) }

    func text(_ advice: BrokerSettings.Advice) -> String {
        let (reason, remedy): (String, String) =
            switch code {
            case 1, 0x84: ("the broker does not speak this version of MQTT", advice.version)
            case 2, 0x85: ("the broker does not accept the client id", advice.clientID)
            case 3, 0x88: ("the broker is not available", "")
            case 4, 0x86: ("wrong user name or password", advice.credentials)
            case 5, 0x87: ("the broker does not authorise this client", advice.credentials)
            case 0x8A: ("the broker has banned this client", "ask its administrator")
            case 0x90, 0x99: ("the broker does not accept the will", advice.topic)
            case 0x9C, 0x9D: ("the broker has moved to another address", advice.address)
            default: ("the broker refused the connection (\(MosquittoHandle.reasonText(code)))", "see the broker's log")
            }
        return remedy.isEmpty ? reason : "\(reason); \(remedy)"
    }
}
