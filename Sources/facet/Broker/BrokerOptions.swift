import ArgumentParser
import Foundation
import MQTT

/// Where the broker is and what the daemon publishes under; the same for every command that talks to the broker.
struct BrokerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The broker: mqtt://[user@]host[:port], or mqtts:// for TLS.", valueName: "url"))
    var mqtt = "mqtt://localhost"

    @Option(
        help: ArgumentHelp(
            """
            What the daemons' topics begin with; if left out, those under faces and +/faces that are there. + stands for \
            any one level, and the option may be repeated.
            """,
            valueName: "base"
        )
    )
    var topic: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file that holds the user's password; otherwise FACET_MQTT_PASSWORD does.",
            valueName: "file"
        ),
        completion: .file()
    )
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities to trust (mqtts only); otherwise the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var tlsCa: String?

    @Option(
        help: ArgumentHelp("PEM file with our own certificate, where the broker wants one.", valueName: "file"),
        completion: .file()
    )
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("PEM file with the certificate's key.", valueName: "file"), completion: .file())
    var tlsKey: String?

    func validate() throws {
        for topic in topic {
            let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
            let areWhole = parts.allSatisfy { $0 == "+" || (!$0.isEmpty && !$0.contains { "+#".contains($0) }) }
            guard areWhole else {
                throw ValidationError(
                    """
                    --topic '\(topic)' cannot be a base: it must not be empty, begin or end with / or hold #, and + must \
                    stand for a whole level
                    """
                )
            }
        }
    }

    /// What a daemon's topics begin with unless its settings say otherwise.
    static let standardBase = "faces"

    /// The bases that the documentation recommends for one camera and for several.
    static let allCameras = [standardBase, "+/" + standardBase]

    /// What the topics begin with that a command listens to; + stands for any level.
    var patterns: [String] { topic.isEmpty ? Self.allCameras : topic }

    /// Whether bases may stand for more than one camera.
    static func isPlural(_ bases: [String]) -> Bool { bases.count > 1 || bases.contains { $0.contains("+") } }

    /// The settings of a connection whose client is recognisable by the command's name.
    func settings(command: String) throws -> BrokerSettings {
        do throws(MQTTError) {
            let address = try BrokerAddress(url: mqtt)
            let suffix = String(UInt32.random(in: 0 ... .max), radix: 36)
            var settings = BrokerSettings(
                host: address.host,
                port: address.port,
                clientID: "facet-\(command)-\(suffix)"
            )
            if address.usesTLS {
                settings.tls = TLSSettings(certificateAuthority: tlsCa, certificate: tlsCertificate, key: tlsKey)
            } else if tlsCa != nil || tlsCertificate != nil || tlsKey != nil {
                throw .tls("the address is \(mqtt), which is plain text; write mqtts://")
            }
            settings.username = address.username
            // Pictures of a preview are the largest messages; a person at a terminal wants to see a broker come back.
            settings.maximumIncomingPayload = 16 << 20
            settings.reconnectDelay = .milliseconds(200) ... .seconds(3)
            settings.advice.credentials = "check the user in --mqtt, --password-file and the broker's access list"
            settings.advice.topic = "check --topic and the broker's access list"
            settings.advice.address = "change --mqtt"
            settings.advice.certificates = "check --tls-ca, the host name in --mqtt, and that this port speaks TLS"
            if address.username != nil { settings.password = try password() }
            try settings.validate()
            return settings
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private func password() throws(MQTTError) -> Secret? {
        if let passwordFile { return try Secret(file: passwordFile) }
        return ProcessInfo.processInfo.environment["FACET_MQTT_PASSWORD"].map { Secret($0) }
    }
}
