/// The settings of an MQTT client: brokers, login, TLS and time limits.
package struct BrokerSettings: Hashable, Sendable {
    package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        /// The port number, 1…65535.
        package var port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// Advice to show with a refusal, in terms of the program's own options; an empty text for no advice.
    package struct Advice: Hashable, Sendable {
        package var version = "allow another version"
        package var clientID = "use another client id"
        package var credentials = "check the user, the password and the broker's access list"
        package var topic = "check the topic and the broker's access list"
        package var address = "use its new address"
        package var certificates = "check the certificates, the host name, and that this port speaks TLS 1.2 or newer"
        package var rival = "give each its own topic"
    }

    /// The default port of a broker without TLS (IANA: mqtt).
    package static let defaultPort = 1883
    /// The default port of a broker with TLS (IANA: secure-mqtt).
    package static let defaultTLSPort = 8883

    /// The brokers in the order in which to try them; at least one.
    package var brokers: [Endpoint]
    /// The client id; no two clients of a broker may have the same.
    package var clientID: String
    package var username: String?
    package var password: Secret?
    /// MQTT's keep-alive: the maximum silence before client and broker check the connection; at least 5 s.
    package var keepAlive: Duration = .seconds(30)
    /// The TLS settings for all brokers; nil for plain text.
    package var tls: TLSSettings?
    /// The only protocol version to use; nil for MQTT 5, or 3.1.1 if the broker refuses MQTT 5 or does not answer it.
    package var version: ConnectionState.ProtocolVersion?
    /// The message that the broker publishes when the connection ends without DISCONNECT.
    package var will: MQTTMessage?
    /// The broker's wait before it publishes the will, in whole seconds, to hide a short break; MQTT 5 only.
    package var willDelay: Duration = .zero
    /// How long the broker keeps the session of a lost connection: as long as `willDelay`; MQTT 5 only.
    var sessionExpiry: Duration { willDelay }
    /// A topic that belongs to this client alone: messages of other clients there are overwritten with its last state.
    ///
    /// It is meant for the will's topic, where a late will would mark a live client as dead. Foreign messages there
    /// also reveal another client with the same id, provided that will and states differ from run to run.
    package var selfCorrectingTopic: String?
    /// The minimum and the maximum wait before the next round of attempts, including jitter.
    package var reconnectDelay: ClosedRange<Duration> = .milliseconds(500) ... .seconds(3)
    /// The maximum wait for an acknowledgement, after which the connection counts as dead.
    package var acknowledgementTimeout: Duration = .seconds(5)
    /// The maximum payload of a received message, in bytes; larger messages are dropped and counted.
    package var maximumIncomingPayload = 1 << 20
    /// The maximum number of unread messages in `BrokerConnection.occurrences`; above it, and above
    /// `LimitedQueue.mostBytes`, the oldest is dropped.
    package var incomingCapacity = 256
    package var advice = Advice()

    /// The maximum size of a received packet, in bytes: the payload, with room for topic, properties and header.
    var maximumPacket: Int { maximumIncomingPayload + 0x1_0000 }

    package init(host: String, port: Int? = nil, clientID: String, tls: TLSSettings? = nil) {
        let port = port ?? (tls == nil ? Self.defaultPort : Self.defaultTLSPort)
        brokers = [Endpoint(host: host, port: port)]
        self.clientID = clientID
        self.tls = tls
    }

    /// Makes the settings for a broker's address; TLS, if the address asks for it, trusts the system's authorities.
    package init(_ address: BrokerAddress, clientID: String) {
        let tls = address.usesTLS ? TLSSettings() : nil
        self.init(host: address.host, port: address.port, clientID: clientID, tls: tls)
        username = address.username
    }

    /// The brokers' addresses without the user, for messages to people.
    package var address: String { brokers.map(\.description).joined(separator: ", ") }

    /// Checks the settings; throws `MQTTError`, which names the wrong setting, its value and the remedy.
    package func validate() throws(MQTTError) {
        for broker in brokers { try BrokerAddress.validate(host: broker.host) }
        guard !clientID.isEmpty, clientID.utf8.count <= 65535, !clientID.utf8.contains(0) else {
            throw .setting("client id", clientID, "give 1 to 65535 bytes of text")
        }
        guard password == nil || username != nil else {
            throw .setting("password", "\(Secret(""))", "give the user as well: a password alone is refused by brokers")
        }
        for topic in [will?.topic, selfCorrectingTopic].compactMap(\.self) {
            try MosquittoHandle.validate(topic: topic)
        }
        if let tls { _ = try TLSContext(tls) }
    }
}

/// The settings for TLS 1.2 or newer: whom to trust, and this client's certificate.
///
/// The broker's certificate and host name are always checked, and there is no fallback to plain text.
package struct TLSSettings: Hashable, Sendable {
    /// A PEM file with the certificate authorities to trust; nil for the operating system's.
    package var certificateAuthority: String?
    /// A PEM file with this client's certificate and its chain, for brokers that ask for one.
    package var certificate: String?
    /// A PEM file with the unencrypted private key of `certificate`.
    package var key: String?

    package init(certificateAuthority: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.certificateAuthority, self.certificate, self.key) = (certificateAuthority, certificate, key)
    }
}

extension Secret {
    /// Reads a password from the first line of a file. Throws `MQTTError` if it cannot be read or is empty.
    package init(file path: String) throws(MQTTError) {
        let line: String
        do {
            line = try SmallFile.firstLine(of: path)
        } catch {
            throw .setting("password file", path, "it cannot be read: \(error.reason); check its path and permissions")
        }
        guard !line.isEmpty else {
            throw .setting("password file", path, "its first line is empty; write the password there")
        }
        self.init(line)
    }
}
