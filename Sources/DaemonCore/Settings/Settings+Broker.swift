import FaceMessages
import Foundation
import MQTT

/// Why the password for the broker cannot be had.
public enum PasswordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file cannot be read: its path and the reason.
    case unreadable(path: String, reason: String)
    /// The file's first line is empty.
    case empty(path: String)

    /// What was tried, why it failed, what to do.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "the password file \(path) (mqtt.passwordFile) cannot be read: \(reason); check its path and permissions"
        case .empty(let path):
            "the password file \(path) (mqtt.passwordFile) begins with an empty line; write the password there"
        }
    }
}

extension Settings.MQTT {
    /// The settings of the connection, the will among them.
    ///
    /// - Parameters:
    ///   - encoder: Writes the will.
    ///   - environment: May hold `FACET_MQTT_PASSWORD`.
    /// - Returns: The settings of the connection.
    /// - Throws: `PasswordError` if the password file cannot be used.
    func brokerSettings(encoder: MessageEncoder, environment: [String: String]) throws -> BrokerSettings {
        let tls =
            tls.enabled
            ? TLSSettings(certificateAuthority: tls.ca, certificate: tls.certificate, key: tls.key) : nil
        var settings = BrokerSettings(host: host, port: port, clientID: clientID ?? defaultClientID, tls: tls)
        settings.username = username
        settings.password = try password(environment: environment)
        settings.keepAlive = keepAlive
        settings.will = MQTTMessage(encoder.status(DaemonStatus(state: .offline)), base: topic)
        // Long enough for a broker's restart or a router's hiccup to pass unnoticed.
        settings.willDelay = .seconds(5)
        settings.selfCorrectingTopic = Topic.status.name(under: topic)
        return settings
    }

    /// The same at every start, so that the broker sees a restarted daemon as the one it knew.
    var defaultClientID: String {
        "facetd-" + ProcessInfo.processInfo.hostName + "-" + Self.identifier(ofTopic: topic)
    }

    /// A base topic as part of an id or a file's name: letters, digits, `_` and `-` only.
    ///
    /// A slash becomes `-`, any other byte `_` and its two hexadecimal digits, so that two bases never give the same.
    static func identifier(ofTopic topic: String) -> String {
        topic.utf8.reduce(into: "") { identifier, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                identifier.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "/"):
                identifier += "-"
            default:
                identifier += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    private func password(environment: [String: String]) throws(PasswordError) -> Secret? {
        guard let passwordFile else { return environment["FACET_MQTT_PASSWORD"].map(Secret.init) }
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: passwordFile), encoding: .utf8)
        } catch {
            throw .unreadable(path: passwordFile, reason: SettingsFile.reason(of: error, path: passwordFile))
        }
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else { throw .empty(path: passwordFile) }
        return Secret(String(line))
    }
}

extension Settings.Outbox {
    /// The outbox's file: as set, or in the directory that systemd or the desktop's conventions give to programs' state.
    ///
    /// Each base topic has a file of its own, because each is a daemon of its own.
    func file(topic: String, environment: [String: String]) -> String {
        if let path { return path }
        let name = "outbox-" + Settings.MQTT.identifier(ofTopic: topic) + ".sqlite"
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return "\(directory)/\(name)" }
        if let state = environment["XDG_STATE_HOME"], !state.isEmpty { return "\(state)/facet/\(name)" }
        return "\(environment["HOME"] ?? "/var/lib")/.local/state/facet/\(name)"
    }
}
