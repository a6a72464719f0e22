import CMosquitto
import Glibc

extension MosquittoHandle.Failure {
    /// The failure as OpenSSL or the system put it.
    var tlsText: String { detail.map(Self.withoutPrefix) ?? text }

    /// The failure in a few words.
    var text: String {
        switch code {
        case MOSQ_ERR_ERRNO.rawValue where systemError != 0: String(cString: strerror(systemError))
        case MOSQ_ERR_EAI.rawValue, MOSQ_ERR_LOOKUP.rawValue: "the host name cannot be resolved"
        case MOSQ_ERR_CONN_LOST.rawValue: "the connection was closed"
        case MOSQ_ERR_KEEPALIVE.rawValue: "the broker gave no sign of life"
        default: String(cString: mosquitto_strerror(code))
        }
    }

    /// Whether TLS failed, rather than the network.
    var isTLS: Bool {
        code == MOSQ_ERR_TLS.rawValue || code == MOSQ_ERR_TLS_HANDSHAKE.rawValue
    }

    /// What this means for the connection.
    func loss(to address: String, usesTLS: Bool) -> ConnectionStateMachine.Loss {
        if isTLS {
            return .untrusted(
                "TLS with \(address) failed (\(tlsText)); "
                    + "check mqtt.tls.ca, mqtt.tls.certificate, the host name, and that this port speaks TLS"
            )
        }
        switch code {
        case MOSQ_ERR_EAI.rawValue, MOSQ_ERR_LOOKUP.rawValue, MOSQ_ERR_ERRNO.rawValue:
            return .unreachable("no broker at \(address): \(text)")
        default: return .ended("\(address): \(text)")
        }
    }

    /// Whether the network is fine and only this message is impossible.
    var concernsTheMessage: Bool {
        [
            MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_QOS_NOT_SUPPORTED,
            MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_RETAIN_NOT_SUPPORTED, MOSQ_ERR_NOT_SUPPORTED,
            MOSQ_ERR_TOPIC_ALIAS_INVALID, MOSQ_ERR_DUPLICATE_PROPERTY,
        ]
        .contains { $0.rawValue == code }
    }

    private static func withoutPrefix(_ text: String) -> String {
        text.hasPrefix("Error: ") ? String(text.dropFirst(7)) : text
    }
}

extension MosquittoHandle {
    /// A reason code of the broker (0x80 and above) in words.
    static func reasonText(_ code: Int32) -> String { String(cString: mosquitto_reason_string(code)) }

    /// The families of a host's addresses, in the order in which libmosquitto tries them.
    ///
    /// Blocks for the name's resolution.
    static func addressFamilies(of host: String) -> [AddressRotation.Family] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            switch entry?.pointee.ai_family {
            case AF_INET: .ipv4
            case AF_INET6: .ipv6
            default: nil
            }
        }
    }
}
