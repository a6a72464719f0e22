import Foundation

extension Settings {
    package struct MQTT: Hashable, Sendable {
        /// The connection settings that the user can set. If the client id is empty, `defaultClientID` is used.
        package var connection = BrokerSettings(host: "localhost", clientID: "")
        package var topic = "faces"
        package var passwordFile: String?

        init() { connection.willDelay = .seconds(5) }

        mutating func read(_ reader: inout SettingsReader) {
            let form =
                "a broker such as host, host:1883, [::1]:1883 or mqtts://host; a password belongs into mqtt.passwordFile"
            let named = reader.readList("mqtt.brokers", form, { try? BrokerAddress(url: $0) })
            let brokers = named ?? connection.brokers.compactMap { try? BrokerAddress(url: $0.host) }
            if brokers.isEmpty { reader.refuseIfMissing("mqtt.brokers", "name a broker, such as [localhost]") }
            reader.readTopic("mqtt.topic", &topic)
            var clientID: String?
            reader.read("mqtt.clientID", &clientID)
            connection.clientID = clientID ?? ""
            reader.read("mqtt.username", &connection.username)
            let users = Set(brokers.compactMap(\.username))
            if users.count > 1 || !users.isSubset(of: [connection.username ?? users.first ?? ""]) {
                reader.refuse("mqtt.brokers", "names different users: all brokers have one, best in mqtt.username")
            }
            connection.username = connection.username ?? users.first
            reader.read("mqtt.protocol", &connection.version, "one of 5, 3.1.1", or: "auto") { .init(rawValue: $0) }
            reader.read("mqtt.willDelay", &connection.willDelay, in: .zero ... .seconds(3600))
            reader.read("mqtt.passwordFile", &passwordFile)
            reader.read("mqtt.keepAlive", &connection.keepAlive, in: .seconds(5) ... .seconds(3600))
            var tls = TLSSettings()
            reader.read("mqtt.tls.ca", &tls.certificateAuthority)
            reader.read("mqtt.tls.certificate", &tls.certificate)
            reader.read("mqtt.tls.key", &tls.key)
            let usesTLS = tls != TLSSettings() || brokers.contains(where: \.usesTLS)
            if usesTLS, brokers.contains(where: { $0.hasScheme && !$0.usesTLS }) {
                let remedy = "use TLS with all brokers or with none"
                reader.refuse("mqtt.brokers", "mixes mqtt:// with mqtts:// or with mqtt.tls: \(remedy)")
            }
            if (tls.certificate == nil) != (tls.key == nil) {
                reader.refuse("mqtt.tls.certificate", "needs mqtt.tls.key beside it, and the other way round")
            }
            if connection.username == nil, passwordFile != nil {
                reader.refuse("mqtt.passwordFile", "needs mqtt.username beside it")
            }
            connection.tls = usesTLS ? tls : nil
            let defaultPort = usesTLS ? BrokerSettings.defaultTLSPort : BrokerSettings.defaultPort
            connection.brokers = brokers.map { .init(host: $0.host, port: $0.port ?? defaultPort) }
        }
    }
}

// MARK: - Use

extension Settings.MQTT {
    /// Returns the complete settings of the connection, with the will and the password. The password may come from
    /// `FACET_MQTT_PASSWORD` in `environment` or from a file in systemd's `CREDENTIALS_DIRECTORY`. Throws `MQTTError`
    /// if the password file cannot be used.
    func brokerSettings(origin: MessageOrigin, environment: [String: String]) throws -> BrokerSettings {
        var settings = connection
        if settings.clientID.isEmpty { settings.clientID = defaultClientID }
        settings.advice.version = "set mqtt.protocol to auto or another version"
        settings.advice.clientID = "set mqtt.clientID to another"
        settings.advice.credentials = "check mqtt.username, mqtt.passwordFile and the broker's access list"
        settings.advice.topic = "check mqtt.topic and the broker's access list"
        settings.advice.address = "set mqtt.brokers"
        settings.advice.certificates =
            "check mqtt.tls.ca, mqtt.tls.certificate, the host name, and that this port speaks TLS 1.2 or newer"
        settings.advice.rival = "give each its own mqtt.topic"
        settings.password = try password(environment: environment)
        let offline = DaemonMessage.status(DaemonStatus(state: .offline), from: origin)
        settings.will = MQTTMessage(offline.encoded, base: topic)
        settings.selfCorrectingTopic = Topic.status.name(under: topic)
        return settings
    }

    /// The default client id, the same at every start so that the broker recognises a restarted daemon.
    var defaultClientID: String {
        "facetd-" + ProcessInfo.processInfo.hostName + "-" + OutboxLocation.identifier(ofTopic: topic)
    }

    private func password(environment: [String: String]) throws(MQTTError) -> Secret? {
        let environment = environment.given
        if let passwordFile { return try Secret(file: passwordFile) }
        if let password = environment["FACET_MQTT_PASSWORD"] { return Secret(password) }
        // systemd passes a service its credentials as files (LoadCredential= in the unit). Without a user name the
        // broker takes no password either.
        guard connection.username != nil, let directory = environment["CREDENTIALS_DIRECTORY"] else { return nil }
        let credential = "\(directory)/facet.mqtt-password"
        return fileExists(credential) ? try Secret(file: credential) : nil
    }
}
