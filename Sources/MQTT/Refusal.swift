/// The broker's no to a connection, in words a human can act on.
struct Refusal: Equatable {
    /// The reason code of MQTT 5 (0x80 and above, OASIS MQTT 5.0 §3.2.2.2) or the return code of 3.1.1 (1…5, §3.2.2.3).
    let code: Int32

    /// Whether the broker does not speak this version of MQTT.
    var isUnsupportedVersion: Bool { code == 1 || code == 0x84 }

    /// Whether the broker may well accept us later without anybody's help.
    var isTemporary: Bool { [3, 0x88, 0x89, 0x97, 0x9F].contains(code) }

    /// What the broker said and what to do.
    var text: String {
        switch code {
        case 1, 0x84: "the broker does not speak this version of MQTT; set mqtt.protocol to another, or to automatic"
        case 2, 0x85: "the broker does not accept the client id; set mqtt.clientID to another"
        case 3, 0x88: "the broker is not available"
        case 4, 0x86: "wrong user name or password; check mqtt.username and mqtt.passwordFile"
        case 5, 0x87:
            "the broker does not authorise this client; check mqtt.username, mqtt.passwordFile and its access list"
        case 0x89: "the broker is busy"
        case 0x8A: "the broker has banned this client; ask its administrator"
        case 0x8C: "the broker wants another kind of authentication than user name and password"
        case 0x90, 0x99: "the broker does not accept the will; check mqtt.topic and the broker's access list"
        case 0x95: "the broker finds the connection request too large"
        case 0x97, 0x9F: "the broker's quota or rate limit is exceeded"
        case 0x9A: "the broker does not keep retained messages, which the will needs"
        case 0x9B: "the broker does not support the will's quality of service"
        case 0x9C, 0x9D: "the broker has moved to another address; set mqtt.host"
        default: "the broker refused the connection with code \(code); see the broker's log"
        }
    }
}
