/// Where the broker is and how to be its client.
package struct BrokerSettings: Sendable {
    /// Which versions of MQTT to speak.
    package enum ProtocolPreference: String, Sendable, CaseIterable {
        /// MQTT 5, and 3.1.1 where the broker refuses it.
        case automatic
        /// MQTT 5 only.
        case version5
        /// MQTT 3.1.1 only.
        case version311
    }

    /// Port of a broker without TLS (IANA: mqtt).
    package static let defaultPort = 1883
    /// Port of a broker with TLS (IANA: secure-mqtt).
    package static let defaultTLSPort = 8883

    /// Name or address.
    package var host: String
    /// 1…65535.
    package var port: Int
    /// What the broker knows this client by; no two clients of a broker may share it.
    package var clientID: String
    /// The user, where the broker wants one.
    package var username: String?
    /// The user's password.
    package var password: Secret?
    /// The longest silence before the two ask each other for a sign of life; 5 s or more.
    package var keepAlive: Duration = .seconds(30)
    /// TLS; nil speaks in plain.
    package var tls: TLSSettings?
    /// Which versions of MQTT to speak.
    package var protocolPreference: ProtocolPreference = .automatic
    /// What the broker publishes when this client vanishes without a word.
    package var will: MQTTMessage?
    /// How long the broker waits with the will, so that a short break goes unnoticed; MQTT 5 only, whole seconds.
    package var willDelay: Duration = .zero
    /// How long the broker keeps the session of a lost connection; MQTT 5 only, whole seconds.
    ///
    /// It has to last as long as `willDelay`, or the will comes early; longer serves nothing, since this client keeps
    /// what it needs itself.
    package var sessionExpiry: Duration {
        get { max(minimumSessionExpiry, willDelay) }
        set { minimumSessionExpiry = newValue }
    }
    private var minimumSessionExpiry: Duration = .zero
    /// A topic whose retained message is ours alone: whatever else appears there is overwritten with what was last
    /// published on it as a state.
    ///
    /// Meant for the will's topic, where a late will would mark a live client dead. It also tells when another client
    /// with the same id is there, provided that will and states carry something that differs from run to run.
    package var selfCorrectingTopic: String?
    /// The shortest and the longest wait before the next attempt to connect; jitter included.
    package var reconnectDelay: ClosedRange<Duration> = .milliseconds(500) ... .seconds(30)
    /// How long an acknowledgement may take before the connection counts as dead.
    package var acknowledgementTimeout: Duration = .seconds(5)
    /// The largest payload taken from the broker, in bytes; larger ones are dropped and counted.
    package var maximumIncomingPayload = 1 << 20
    /// How many received messages wait for whoever reads `incoming`; the oldest goes first.
    package var incomingCapacity = 256

    /// Settings for a broker, everything else as documented with each property.
    package init(host: String, port: Int? = nil, clientID: String, tls: TLSSettings? = nil) {
        self.host = host
        self.port = port ?? (tls == nil ? Self.defaultPort : Self.defaultTLSPort)
        self.clientID = clientID
        self.tls = tls
    }

    /// Settings for a broker as its URL names it; TLS, where the URL asks for it, trusts the system's authorities.
    package init(_ address: BrokerAddress, clientID: String) {
        self.init(
            host: address.host,
            port: address.port,
            clientID: clientID,
            tls: address.usesTLS ? TLSSettings() : nil
        )
        username = address.username
    }

    /// The host and port as one writes them, without the user.
    package var address: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Refuses settings that can't work, before anything is tried with them.
    ///
    /// - Throws: `MQTTError` which names the setting, its value and what would be right.
    package func validate() throws(MQTTError) {
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .setting("host", host, "give a name or an address") }
        guard (1...65535).contains(port) else { throw .setting("port", "\(port)", "give a number from 1 to 65535") }
        guard !clientID.isEmpty, clientID.utf8.count <= 65535, !clientID.utf8.contains(0) else {
            throw .setting("client id", clientID, "give 1 to 65535 bytes of text")
        }
        guard (5...65535).contains(keepAlive.components.seconds) else {
            throw .setting("keep-alive", "\(keepAlive)", "give 5 s to 65535 s")
        }
        guard password == nil || username != nil else {
            throw .setting("password", "\(Secret(""))", "give the user as well: a password alone is refused by brokers")
        }
        guard reconnectDelay.lowerBound > .zero else {
            throw .setting("reconnect delay", "\(reconnectDelay)", "give a shortest delay above zero")
        }
        for topic in [will?.topic, selfCorrectingTopic].compactMap(\.self) {
            try MosquittoHandle.validate(topic: topic)
        }
        try tls?.validate()
    }
}
