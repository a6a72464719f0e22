/// How to reach the broker and log in, and which cameras a command is about.
package struct BrokerAccess: Sendable {
    package var mqtt: String?
    /// The topic bases: each is the prefix of all topics of one camera, such as `faces`. Empty for the default bases.
    package var topic: [String] = []
    /// The name or topic base of the only camera that the command is about; nil if the user named none.
    package var camera: String?
    /// The paths of the password file and the TLS files, by their keys in the user's settings file.
    package var files: [String: String] = [:]

    package init() {}

    package static let baseRule =
        "it must not be empty, begin or end with / or hold #, and + must stand for a whole level"

    package static func isBase(_ text: String) -> Bool {
        text.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { $0 == "+" || (!$0.isEmpty && !$0.contains { "+#".contains($0) }) }
    }

    /// Fills in missing values from the environment and the user's settings file. The file's broker, with its password
    /// and TLS files, is used only if nothing else names a broker. Throws `CommandFailure` with all errors in the file.
    package mutating func complete(environment: [String: String]) throws {
        let environment = environment.given
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let directory = (configuration ?? environment["HOME", default: ""] + "/.config") + "/facet/"
        var broker: String?
        var saved: [String: String] = [:]
        var bases: [String] = []
        do throws(SettingsError) {
            var file: SettingsFile?
            if fileExists(directory + "facet.yaml") {
                file = try SettingsFile(path: directory + "facet.yaml", example: "docs/companion.md")
            }
            var reader = SettingsReader(file: file)
            reader.read("mqtt", &broker, "a broker such as mqtt://host or mqtts://user@host") { text in
                (try? BrokerAddress(url: text)).map { _ in .some(text) }
            }
            bases = reader.readList("topic", "a base: \(Self.baseRule)") { Self.isBase($0) ? $0 : nil } ?? []
            for key in ["passwordFile", "tls.ca", "tls.certificate", "tls.key"] {
                reader.read(key, &saved[key], "a file") { .some($0.hasPrefix("/") ? $0 : directory + $0) }
            }
            try reader.finish()
        } catch {
            throw CommandFailure(lines: error.text(about: "the companion's settings have").split(separator: "\n"))
        }
        if topic.isEmpty { topic = bases }
        mqtt = mqtt ?? environment["FACET_MQTT"]
        guard mqtt == nil else { return }
        mqtt = broker
        files.merge(saved) { given, _ in given }
    }

    /// Whether the user limited the command to a camera or to topic bases.
    package var isNarrowed: Bool { camera != nil || !topic.isEmpty }

    /// The topic base of a daemon whose settings do not name another.
    package static let standardBase = "faces"

    /// The topic bases to listen to: those that the user named, or `faces` and `+/faces`. `+` matches any one level.
    package var patterns: [String] { topic.isEmpty ? [Self.standardBase, "+/" + Self.standardBase] : topic }

    /// The topic bases to listen to: those of all cameras, or of one if `all` is false or the user named a camera.
    package func bases(command: String, all: Bool = true) async throws -> [String] {
        all && camera == nil ? patterns : [try await chosenBase(command: command)]
    }

    /// Connects to the broker and subscribes for all cameras, or for one if `all` is false or the user named a camera.
    package func subscriber(_ command: String, _ topics: [Topic], all: Bool = true) async throws -> Subscriber {
        try await Subscriber(self, command: command, topics: topics, patterns: bases(command: command, all: all))
    }

    /// Whether several cameras may have these topic bases: there are several bases, or one contains a wildcard.
    package static func isPlural(_ bases: [String]) -> Bool { bases.count > 1 || bases.contains { $0.contains("+") } }

    /// Returns the topics with these names, which may include a topic base. Without names, returns the topics of events
    /// and of the cameras' state. Throws `CommandFailure` for an unknown name, and suggests a similar one.
    package func topics(named names: [String]) throws(CommandFailure) -> [Topic] {
        guard !names.isEmpty else { return [.status, .detectState, .metadata] + Topic.events }
        return try names.map { name throws(CommandFailure) in
            let prefix = topic.map { $0 + "/" }.first { name.hasPrefix($0) } ?? "faces/"
            let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            if let topic = Topic(rawValue: short) { return topic }
            if OutputPath.isClip(name) || FaceSession.Source.isCamera(name) || name.contains("://") {
                throw CommandFailure("'\(name)' is a source, not a topic; write --source \(name)")
            }
            let known = Topic.allCases.map(\.rawValue)
            let hint = likelyName(for: short, among: known).map { "did you mean '\($0)'? " } ?? ""
            throw CommandFailure("there is no topic '\(name)'; \(hint)The topics are \(known.joined(separator: ", "))")
        }
    }

    /// Returns the settings for a new connection, whose client id contains the command's name.
    package func settings(command: String) throws -> BrokerSettings {
        let url = mqtt ?? "mqtt://localhost"
        let address = try BrokerAddress(url: url)
        let suffix = String(UInt32.random(in: 0 ... .max), radix: 36)
        var settings = BrokerSettings(address, clientID: "facet-\(command)-\(suffix)")
        var tls = TLSSettings(certificateAuthority: files["tls.ca"])
        tls.certificate = files["tls.certificate"]
        tls.key = files["tls.key"]
        if address.usesTLS {
            settings.tls = tls
        } else if tls != TLSSettings() {
            throw MQTTError.tls("the address is \(url), which is plain text; write mqtts://")
        }
        // Preview pictures are the largest messages. A short delay lets the user see at once that the broker is back.
        settings.maximumIncomingPayload = 16 << 20
        settings.reconnectDelay = .milliseconds(200) ... .seconds(3)
        settings.advice.credentials = "check the user in --mqtt, --password-file and the broker's access list"
        settings.advice.topic = "check --topic and the broker's access list"
        settings.advice.address = "change --mqtt"
        settings.advice.certificates = "check --tls-ca, the host in --mqtt, and that this port speaks TLS 1.2 or newer"
        let password = try files["passwordFile"].map { try Secret(file: $0) }
        if address.username != nil {
            settings.password =
                password ?? ProcessInfo.processInfo.environment.given["FACET_MQTT_PASSWORD"].map { Secret($0) }
        } else if let passwordFile = files["passwordFile"] {
            throw CommandFailure(
                "the password in \(passwordFile) needs a user; write --mqtt mqtt://USER@\(address.host)"
            )
        }
        try settings.validate()
        return settings
    }
}
