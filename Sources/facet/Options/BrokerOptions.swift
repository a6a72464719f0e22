import ArgumentParser
import Companion
import FaceMessages
import Foundation

/// Where the broker is and what the daemon publishes under; the same for every command that talks to the broker.
struct BrokerOptions: ParsableArguments {
    @Option(
        help: .init(
            """
            The broker: mqtt://[user@]host[:port], or mqtts:// for TLS. If left out, that of FACET_MQTT or of \
            ~/.config/facet/facet.yaml, else mqtt://localhost.
            """,
            valueName: "url"
        )
    )
    var mqtt: String?

    @Option(
        help: .init(
            """
            What the daemons' topics begin with; if left out, those under faces and +/faces that are there. + stands for \
            any one level, and the option may be repeated.
            """,
            valueName: "base"
        )
    )
    var topic: [String] = []

    @Option(help: .init("The camera, where there are several: its name, or the base of its topics.", valueName: "name"))
    var camera: String?

    @Option(file: "A file that holds the user's password; otherwise FACET_MQTT_PASSWORD does.")
    var passwordFile: String?

    @Option(file: "PEM file with the authorities to trust (mqtts only); otherwise the system's.")
    var tlsCa: String?

    @Option(file: "PEM file with our own certificate, where the broker wants one.")
    var tlsCertificate: String?

    @Option(file: "PEM file with the certificate's key.")
    var tlsKey: String?

    func validate() throws {
        let access = try access()
        if let wrong = access.topic.first(where: { !BrokerAccess.isBase($0) }) {
            throw ValidationError("--topic '\(wrong)' cannot be a base: \(BrokerAccess.baseRule)")
        }
    }

    /// What the options, the environment and the user's file say.
    ///
    /// - Throws: `CommandFailure` with all that is wrong in the file.
    func access(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> BrokerAccess {
        var access = BrokerAccess()
        access.mqtt = mqtt
        access.topic = topic
        access.camera = camera
        access.passwordFile = passwordFile
        access.tlsCa = tlsCa
        access.tlsCertificate = tlsCertificate
        access.tlsKey = tlsKey
        try access.complete(environment: environment)
        return access
    }

    /// Connects for a command about all cameras, or about one.
    func subscriber(
        _ command: String,
        _ topics: [Topic],
        all: Bool = true,
        capacity: Int = 1024
    ) async throws -> Subscriber {
        try await access().subscriber(command, topics, all: all, capacity: capacity)
    }
}
