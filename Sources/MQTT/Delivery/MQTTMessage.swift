/// An MQTT message, sent or received.
package struct MQTTMessage: Hashable, Sendable {
    /// MQTT's quality of service.
    package enum QoS: Int32, Hashable, Sendable, Comparable {
        /// Sent once and forgotten.
        case atMostOnce = 0
        /// Repeated until acknowledged; may arrive twice.
        case atLeastOnce = 1

        package static func < (left: QoS, right: QoS) -> Bool { left.rawValue < right.rawValue }
    }

    /// A name and a value that an MQTT 5 message carries; dropped on MQTT 3.1.1.
    package struct UserProperty: Hashable, Sendable {
        /// The name; several properties of a message may have the same name.
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var topic: String
    /// The content, at most 268 435 455 bytes (the protocol's limit).
    package var payload: [UInt8]
    package var qos: QoS
    /// Whether the broker keeps the message for later subscribers.
    package var retain: Bool
    /// The MIME type of the payload; MQTT 5 only.
    package var contentType: String?
    /// The user properties; MQTT 5 only.
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
        self.contentType = contentType
        self.userProperties = userProperties
    }
}

/// The reason why settings, a topic or a resource of the system cannot be used.
package struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message for people: what was tried, why it failed and what to do.
    package let description: String

    private init(_ description: String) { self.description = description }

    static func setting(_ name: String, _ value: String, _ remedy: String) -> Self {
        Self("MQTT \(name) '\(value)' cannot be used: \(remedy)")
    }

    /// Makes an error which says that TLS to the broker cannot be set up, for the given reason.
    package static func tls(_ reason: String) -> Self { Self("TLS to the broker cannot be set up: \(reason)") }

    /// Makes an error which says that a topic or broker address cannot be used. `text` must not contain a password.
    static func unusable(_ what: String, _ text: String, _ reason: String) -> Self {
        Self("the \(what) '\(text)' cannot be used: \(reason)")
    }

    /// Makes an error which says that memory or another resource of the system or of libmosquitto is missing.
    static func resources(_ attempt: String, _ reason: String) -> Self { Self("cannot \(attempt): \(reason)") }
}
