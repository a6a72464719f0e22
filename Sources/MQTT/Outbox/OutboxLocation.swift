import Foundation

/// The default path of the outbox's file.
package enum OutboxLocation {
    /// The directory for the program's state, from systemd (`STATE_DIRECTORY`) or XDG (`XDG_STATE_HOME`).
    package static func directory(environment: [String: String]) -> String {
        let environment = environment.given
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(directory) }
        if let state = environment["XDG_STATE_HOME"] { return state + "/facet" }
        return (environment["HOME"] ?? "/var/lib") + "/.local/state/facet"
    }

    /// The path of the outbox for a base topic. Programs have different base topics, and so outboxes of their own.
    package static func path(topic: String, environment: [String: String]) -> String {
        var name = identifier(ofTopic: topic)
        // Most file systems take 255 bytes, of which SQLite's own files need some for an ending.
        if name.utf8.count > 200 {
            name = name.prefix(150) + "_" + SHA256.hmac(of: Array(topic.utf8), key: []).prefix(32)
        }
        return directory(environment: environment) + "/outbox-" + name + ".sqlite"
    }

    /// A base topic as part of an id or of a file's name: letters, digits, `_` and `-` only. A slash becomes `-`, any
    /// other byte `_` and two hexadecimal digits, so that different topics give different results.
    package static func identifier(ofTopic topic: String) -> String {
        let kept = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/")
        let encoded = topic.addingPercentEncoding(withAllowedCharacters: kept) ?? topic
        return encoded.replacing("%", with: "_").replacing("/", with: "-")
    }
}
