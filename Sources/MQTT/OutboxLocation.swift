import Foundation
import System

/// Where a program keeps the outbox by default.
package enum OutboxLocation {
    /// The directory that systemd (`STATE_DIRECTORY`) or the desktop's conventions (`XDG_STATE_HOME`) give to programs' state.
    package static func directory(environment: [String: String]) -> String {
        let environment = environment.given
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(directory) }
        if let state = environment["XDG_STATE_HOME"] { return state + "/facet" }
        return (environment["HOME"] ?? "/var/lib") + "/.local/state/facet"
    }

    /// The file for events under a base topic. Each base topic has its own, because each is a program of its own.
    package static func path(topic: String, environment: [String: String]) -> String {
        directory(environment: environment) + "/outbox-" + identifier(ofTopic: topic) + ".sqlite"
    }

    /// A base topic as part of an id or a file's name: letters, digits, `_` and `-` only.
    ///
    /// A slash becomes `-`, any other byte `_` and its two hexadecimal digits, so that no two topics give the same.
    package static func identifier(ofTopic topic: String) -> String {
        let kept = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/")
        let encoded = topic.addingPercentEncoding(withAllowedCharacters: kept) ?? topic
        return encoded.replacing("%", with: "_").replacing("/", with: "-")
    }
}
