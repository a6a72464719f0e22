/// One MQTT message as the sender sees it.
package struct MQTTMessage: Hashable, Sendable {
    /// How hard the broker and the client try to get a message across.
    package enum QoS: Int32, Hashable, Sendable, Comparable {
        /// Sent once and forgotten.
        case atMostOnce = 0
        /// Repeated until acknowledged; may arrive twice.
        case atLeastOnce = 1

        package static func < (left: QoS, right: QoS) -> Bool { left.rawValue < right.rawValue }
    }

    /// A name and value that travel with an MQTT 5 message; dropped on MQTT 3.1.1.
    package struct UserProperty: Hashable, Sendable {
        /// The name; may occur more than once in a message.
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var topic: String
    /// The bytes, at most 268 435 455 (the protocol's limit).
    package var payload: [UInt8]
    package var qos: QoS
    /// Whether the broker keeps it for later subscribers.
    package var retain: Bool
    /// The MIME type of the payload; MQTT 5 only.
    package var contentType: String?
    /// Further properties; MQTT 5 only.
    package var userProperties: [UserProperty]

    package init(
        topic: String,
        payload: [UInt8],
        qos: QoS = .atMostOnce,
        retain: Bool = false,
        contentType: String? = nil,
        userProperties: [UserProperty] = []
    ) {
        (self.topic, self.payload, self.qos, self.retain) = (topic, payload, qos, retain)
        (self.contentType, self.userProperties) = (contentType, userProperties)
    }

    package init(topic: String, text: String, qos: QoS = .atMostOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

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
