/// An encoded MQTT message, with what is needed to publish it.
public struct Message: Hashable, Sendable {
    /// The topic, which determines quality of service and retention.
    public var topic: Topic

    /// The encoded payload.
    public var payload: [UInt8]

    /// The `seq` of an event, its number among all events of the daemon; nil for all other messages.
    public var sequence: Int?

    /// The CloudEvents attributes of an event, including its id; nil for all other messages.
    public var cloudEvent: CloudEventAttributes?

    /// The frame of a preview picture, which is sent in the user properties; nil for all other messages.
    public var stamp: FrameStamp?

    /// The capture time of an event's frame, for computing the event's age; nil for all other messages. It is not sent.
    public var captured: ContinuousClock.Instant?

    /// Makes a message from its topic and its encoded payload. For an event, the payload must contain the same number
    /// as `sequence` and the same id as `cloudEvent`.
    public init(topic: Topic, payload: [UInt8], sequence: Int? = nil, cloudEvent: CloudEventAttributes? = nil) {
        self.topic = topic
        self.payload = payload
        self.sequence = sequence
        self.cloudEvent = cloudEvent
    }

    /// Makes a message with a preview picture, a JPEG of the frame `stamp`.
    public init(preview jpeg: [UInt8], of stamp: FrameStamp) {
        self.init(topic: .previewJPEG, payload: jpeg)
        self.stamp = stamp
    }

    /// The MQTT 5 content type of the payload.
    public var contentType: String {
        switch topic {
        case .previewJPEG: "image/jpeg"
        case .detectState, .detectSet: "text/plain"
        default: "application/json"
        }
    }

    /// The MQTT 5 user properties, in order: an event's CloudEvents attributes, or a picture's frame number and times.
    public var userProperties: [(name: String, value: String)] {
        if let cloudEvent { return cloudEvent.properties }
        guard let stamp else { return [] }
        let seconds = (stamp.mediaTime * 1000).rounded() / 1000
        return [("frame", "\(stamp.frame)"), ("time", stamp.time.iso8601), ("mediaTime", "\(seconds)")]
    }

    /// Returns the message as one line of JSON, as `facetd --print` writes it, with the topic's full name under `base`.
    /// A JSON payload is included as it is, and text as a JSON string. Of a picture, only size and type are written.
    public func line(base: String) -> [UInt8] {
        let line = JSONWriter.object(reserving: payload.count + 128) { json in
            json.field("topic", topic.name(under: base))
            json.field("qos", topic.qos)
            json.field("retain", topic.isRetained)
            switch contentType {
            case "application/json": json.field("payload", json: payload)
            case "text/plain": json.field("payload", String(decoding: payload, as: UTF8.self))
            default: json.field("payload", "\(payload.count) bytes of \(contentType)")
            }
        }
        return line + "\n".utf8
    }
}
