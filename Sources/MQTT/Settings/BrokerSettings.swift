/// The settings of a client: its brokers, its login there, and its time limits.
package struct BrokerSettings: Hashable, Sendable {
    package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        /// 1…65535.
        package var port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// Advice for people about a refusal, in terms of the program's own options; empty for none.
    package struct Advice: Hashable, Sendable {
        package var version = "allow another version"
        package var clientID = "use another client id"
        package var credentials = "check the user, the password and the broker's access list"
        package var topic = "check the topic and the broker's access list"
        package var address = "use its new address"
        package var certificates = "check the certificate files, the host name, and that this port speaks TLS"
        package var rival = "give each its own topic"
    }

    /// The port of a broker without TLS (IANA: mqtt).
    package static let defaultPort = 1883
    /// The port of a broker with TLS (IANA: secure-mqtt).
    package static let defaultTLSPort = 8883

    /// The brokers in the order in which to try them; one or more.
    package var brokers: [Endpoint]
    /// The client's name at the broker; no two clients of a broker may share it.
    package var clientID: String
    package var username: String?
    package var password: Secret?
    /// The longest silence before client and broker check on each other; 5 s or more.
    package var keepAlive: Duration = .seconds(30)
    /// TLS for all brokers; nil is plain text.
    package var tls: TLSSettings?
    /// The only version to speak; nil is MQTT 5, and 3.1.1 where the broker refuses it or does not answer.
    package var version: ConnectionState.ProtocolVersion?
    /// The message that the broker publishes when this client vanishes without a word.
    package var will: MQTTMessage?
    /// The time that the broker waits with the will, so that a short break goes unnoticed; MQTT 5 only, whole seconds.
    package var willDelay: Duration = .zero
    /// The time that a broker keeps the session of a lost connection; MQTT 5 only. It must not be below `willDelay`.
    var sessionExpiry: Duration { willDelay }
    /// A topic on which only this client publishes: anything else there is overwritten with the client's last state.
    ///
    /// Meant for the will's topic, where a late will would mark a live client dead. It also shows when another client
    /// with the same id is there, provided that will and states differ from run to run.
    package var selfCorrectingTopic: String?
    /// The shortest and the longest wait before the next round of attempts; jitter included.
    package var reconnectDelay: ClosedRange<Duration> = .milliseconds(500) ... .seconds(3)
    /// The time without an acknowledgement after which the connection counts as dead.
    package var acknowledgementTimeout: Duration = .seconds(5)
    /// The largest payload taken from the broker, in bytes; larger ones are dropped and counted.
    package var maximumIncomingPayload = 1 << 20
    /// The number of received messages that may wait in `occurrences`; the oldest is dropped first.
    package var incomingCapacity = 256
    package var advice = Advice()

    /// The largest packet taken from the broker: topic, properties and header come on top of the payload.
    var maximumPacket: Int { maximumIncomingPayload + 0x1_0000 }

    package init(host: String, port: Int? = nil, clientID: String, tls: TLSSettings? = nil) {
        let port = port ?? (tls == nil ? Self.defaultPort : Self.defaultTLSPort)
        brokers = [Endpoint(host: host, port: port)]
        self.clientID = clientID
        self.tls = tls
    }

    /// Settings for a broker as its URL names it; TLS, where the URL asks for it, trusts the system's authorities.
    package init(_ address: BrokerAddress, clientID: String) {
        let tls = address.usesTLS ? TLSSettings() : nil
        self.init(host: address.host, port: address.port, clientID: clientID, tls: tls)
        username = address.username
    }

    /// The brokers' addresses as people write them, without the user.
    package var address: String { brokers.map(\.description).joined(separator: ", ") }

    /// Refuses settings that cannot work; throws `MQTTError`, which names the setting, its value and what is right.
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

/// The settings for TLS 1.2 or newer: how to recognise the broker, and how to prove who we are.
///
/// The check of the certificate and of the host name cannot be switched off, and nothing falls back to plain text.
package struct TLSSettings: Hashable, Sendable {
    /// A PEM file with the authorities to trust; nil trusts the operating system's.
    package var certificateAuthority: String?
    /// A PEM file with our certificate and its chain, if the broker asks for one.
    package var certificate: String?
    /// A PEM file with the unencrypted key of `certificate`.
    package var key: String?

    package init(certificateAuthority: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.certificateAuthority, self.certificate, self.key) = (certificateAuthority, certificate, key)
    }
}

extension Secret {
    /// Reads a password file: its first line. Throws `MQTTError` if there is nothing to read.
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
