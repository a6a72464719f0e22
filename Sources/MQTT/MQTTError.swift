/// Why a client cannot be made or a message cannot be taken.
package enum MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A setting is out of its range: its name, its value, what would be right.
    case setting(String, String, String)
    /// A broker URL cannot be used: the URL (without any password), why and what to do.
    case url(String, String)
    /// TLS cannot work as set: why.
    case tls(String)
    /// A topic or topic filter breaks the rules of MQTT: it, and why.
    case topic(String, String)
    /// libmosquitto or the system has no means left: what was tried, and why it failed.
    case resources(String, String)

    /// What was tried, on what, why it failed, what to do.
    package var description: String {
        switch self {
        case .setting(let name, let value, let remedy): "MQTT \(name) '\(value)' cannot be used: \(remedy)"
        case .url(let url, let reason): "the broker address '\(url)' cannot be used: \(reason)"
        case .tls(let reason): "TLS to the broker cannot be set up: \(reason)"
        case .topic(let topic, let reason): "the topic '\(topic)' cannot be used: \(reason)"
        case .resources(let attempt, let reason): "cannot \(attempt): \(reason)"
        }
    }
}
