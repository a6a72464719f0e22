import FaceMessages
import Foundation
package import MQTT
import SettingsFiles

extension Settings {
    package struct MQTT: Hashable, Sendable {
        package struct TLS: Hashable, Sendable {
            /// Also switched on by `mqtts://` and by any other setting of this group.
            package var enabled = false
            package var ca: String?
            package var certificate: String?
            package var key: String?
        }
        /// The brokers to try in turn; empty for the one of `host` and `port`.
        package var brokers: [BrokerAddress] = []
        package var host = "localhost"
        /// Nil is 1883, or 8883 with TLS.
        package var port: Int?
        package var topic = "faces"
        /// Nil is one made of the topic and the host's name.
        package var clientID: String?
        package var username: String?
        package var passwordFile: String?
        package var keepAlive = Duration.seconds(30)
        package var protocolPreference = BrokerSettings.ProtocolPreference.automatic
        /// How long the broker waits before it publishes that the daemon is gone; MQTT 5 only.
        package var willDelay = Duration.seconds(5)
        package var tls = TLS()

        mutating func read(_ reader: inout SettingsReader) {
            let form =
                "a broker such as host, host:1883, [::1]:1883 or mqtts://host; a password belongs into mqtt.passwordFile"
            if let list = reader.readList("mqtt.brokers", form, { try? BrokerAddress(url: $0) }) { brokers = list }
            reader.read("mqtt.host", &host, "one name or address; mqtt.brokers takes several") {
                (try? BrokerAddress.validate(host: $0)) == nil ? nil : $0
            }
            reader.read("mqtt.port", &port, "a port from 1 to 65535") { text -> Int?? in
                Int(text).flatMap { (1...65_535).contains($0) ? .some($0) : nil }
            }
            reader.readTopic("mqtt.topic", &topic)
            reader.read("mqtt.clientID", &clientID)
            reader.read("mqtt.username", &username)
            let users = Set(brokers.compactMap(\.username))
            if users.count > 1 || !users.isSubset(of: [username ?? users.first ?? ""]) {
                reader.refuse("mqtt.brokers", "names different users: all brokers have one, best in mqtt.username")
            }
            username = username ?? users.first
            reader.read("mqtt.protocol", &protocolPreference)
            reader.read("mqtt.willDelay", &willDelay, in: .zero ... .seconds(3600))
            reader.read("mqtt.passwordFile", &passwordFile)
            reader.read("mqtt.keepAlive", &keepAlive, in: .seconds(5) ... .seconds(3600))
            reader.read("mqtt.tls.ca", &tls.ca)
            reader.read("mqtt.tls.certificate", &tls.certificate)
            reader.read("mqtt.tls.key", &tls.key)
            let namesTLS = brokers.contains(where: \.usesTLS)
            if namesTLS, brokers.contains(where: { $0.hasScheme && !$0.usesTLS }) {
                reader.refuse("mqtt.brokers", "mixes mqtt:// and mqtts://: use TLS with all brokers or with none")
            }
            let isImplied = namesTLS || tls.ca != nil || tls.certificate != nil || tls.key != nil
            tls.enabled = isImplied
            reader.read("mqtt.tls.enabled", &tls.enabled)
            if isImplied, !tls.enabled {
                reader.refuse(
                    "mqtt.tls.enabled",
                    "is false, but other settings of mqtt.tls are given: remove one or the other"
                )
            }
            if (tls.certificate == nil) != (tls.key == nil) {
                reader.refuse("mqtt.tls.certificate", "needs mqtt.tls.key beside it, and the other way round")
            }
            if username == nil, passwordFile != nil {
                reader.refuse("mqtt.passwordFile", "needs mqtt.username beside it")
            }
        }
    }
}

// MARK: - Use

extension Settings.MQTT {
    /// The settings of the connection, the will among them; `environment` may hold `FACET_MQTT_PASSWORD` and systemd's
    /// `CREDENTIALS_DIRECTORY`.
    ///
    /// - Throws: `MQTTError.setting` if the password file cannot be used.
    func brokerSettings(encoder: MessageEncoder, environment: [String: String]) throws -> BrokerSettings {
        let tls =
            tls.enabled
            ? TLSSettings(certificateAuthority: tls.ca, certificate: tls.certificate, key: tls.key) : nil
        var settings = BrokerSettings(host: host, port: port, clientID: clientID ?? defaultClientID, tls: tls)
        if !brokers.isEmpty {
            let defaultPort = tls == nil ? BrokerSettings.defaultPort : BrokerSettings.defaultTLSPort
            settings.brokers = brokers.map { .init(host: $0.host, port: $0.explicitPort ?? defaultPort) }
        }
        settings.protocolPreference = protocolPreference
        settings.advice.version = "set mqtt.protocol to auto or another version"
        settings.advice.clientID = "set mqtt.clientID to another"
        settings.advice.credentials = "check mqtt.username, mqtt.passwordFile and the broker's access list"
        settings.advice.topic = "check mqtt.topic and the broker's access list"
        settings.advice.address = "set mqtt.host or mqtt.brokers"
        settings.advice.certificates =
            "check mqtt.tls.ca, mqtt.tls.certificate, the host name, and that this port speaks TLS"
        settings.advice.rival = "give each its own mqtt.topic"
        settings.username = username
        settings.password = try password(environment: environment)
        settings.keepAlive = keepAlive
        settings.will = MQTTMessage(encoder.status(DaemonStatus(state: .offline)), base: topic)
        settings.willDelay = willDelay
        settings.selfCorrectingTopic = Topic.status.name(under: topic)
        return settings
    }

    /// The same at every start, so that the broker takes a restarted daemon for the one it knew.
    var defaultClientID: String {
        "facetd-" + ProcessInfo.processInfo.hostName + "-" + OutboxLocation.identifier(ofTopic: topic)
    }

    private func password(environment: [String: String]) throws(MQTTError) -> Secret? {
        if let passwordFile { return try Secret(file: passwordFile) }
        if let password = environment["FACET_MQTT_PASSWORD"] { return Secret(password) }
        // systemd gives a service its credentials as files (LoadCredential= in the unit). A broker that takes no user
        // takes no password either.
        guard username != nil, let directory = environment["CREDENTIALS_DIRECTORY"] else { return nil }
        let credential = "\(directory)/facet.mqtt-password"
        return FileManager.default.fileExists(atPath: credential) ? try Secret(file: credential) : nil
    }
}
