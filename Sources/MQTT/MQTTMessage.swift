/// One MQTT message as the sender sees it.
public struct MQTTMessage: Hashable, Sendable {
    /// How hard the broker and the client try to get a message across.
    public enum QoS: Int32, Hashable, Sendable, Comparable {
        /// Sent once and forgotten.
        case atMostOnce = 0
        /// Repeated until acknowledged; may arrive twice.
        case atLeastOnce = 1

        /// Orders by strength.
        public static func < (left: QoS, right: QoS) -> Bool { left.rawValue < right.rawValue }
    }

    /// A name and value that travel with an MQTT 5 message; dropped on MQTT 3.1.1.
    public struct UserProperty: Hashable, Sendable {
        /// The name; may occur more than once in a message.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a property.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The topic, without wildcards.
    public var topic: String
    /// The bytes, at most 268 435 455 (the protocol's limit).
    public var payload: [UInt8]
    /// The quality of service.
    public var qos: QoS
    /// Whether the broker keeps it for later subscribers.
    public var retain: Bool
    /// The MIME type of the payload; MQTT 5 only.
    public var contentType: String?
    /// Further properties; MQTT 5 only.
    public var userProperties: [UserProperty]
    /// How long after its sending the broker may still deliver it; MQTT 5 only, whole seconds, rounded up.
    public var messageExpiry: Duration?

    /// Makes a message.
    public init(
        topic: String,
        payload: [UInt8],
        qos: QoS = .atMostOnce,
        retain: Bool = false,
        contentType: String? = nil,
        userProperties: [UserProperty] = [],
        messageExpiry: Duration? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.contentType = contentType
        self.userProperties = userProperties
        self.messageExpiry = messageExpiry
    }

    /// Makes a message of text.
    public init(topic: String, text: String, qos: QoS = .atMostOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

/// One MQTT message as it came from the broker.
public struct ReceivedMessage: Hashable, Sendable {
    /// The topic it was published on.
    public var topic: String
    /// The bytes; may be anything.
    public var payload: [UInt8]
    /// The quality of service of this delivery.
    public var qos: MQTTMessage.QoS
    /// Whether the broker had kept it from before the subscription.
    public var retained: Bool
    /// The MIME type of the payload, where the sender gave one over MQTT 5.
    public var contentType: String?
    /// The sender's further properties over MQTT 5, in order.
    public var userProperties: [MQTTMessage.UserProperty]

    /// Makes a received message.
    public init(
        topic: String,
        payload: [UInt8],
        qos: MQTTMessage.QoS = .atMostOnce,
        retained: Bool = false,
        contentType: String? = nil,
        userProperties: [MQTTMessage.UserProperty] = []
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retained = retained
        self.contentType = contentType
        self.userProperties = userProperties
    }
}
