/// One message of the wire contract, encoded.
public struct Message: Hashable, Sendable {
    /// The topic that it belongs to, which gives quality of service and retention.
    public var topic: Topic

    /// The encoded payload.
    public var payload: [UInt8]

    /// The event's `seq`, on event topics only.
    public var sequence: Int?

    /// The CloudEvents attributes of an event, its id among them; nil on other topics.
    public var cloudEvent: CloudEventAttributes?

    /// The frame of a preview picture, which a JPEG does not tell.
    public var stamp: FrameStamp?

    /// The capture time of the frame that settled the event; nil for others. Not part of the message on the wire.
    public var captured: ContinuousClock.Instant?

    /// Makes a message from its topic and its encoded payload, which contains an event's id and number too.
    public init(topic: Topic, payload: [UInt8], sequence: Int? = nil, cloudEvent: CloudEventAttributes? = nil) {
        self.topic = topic
        self.payload = payload
        self.sequence = sequence
        self.cloudEvent = cloudEvent
    }

    /// Makes a message from a picture of a frame, as a JPEG.
    public init(preview jpeg: [UInt8], of stamp: FrameStamp) {
        self.init(topic: .previewJPEG, payload: jpeg)
        self.stamp = stamp
    }

    /// MQTT 5's content type of the payload.
    public var contentType: String {
        switch topic {
        case .previewJPEG: "image/jpeg"
        case .detectState, .detectSet: "text/plain"
        default: "application/json"
        }
    }

    /// MQTT 5's user properties in their order: an event's CloudEvents attributes, a picture's frame and times.
    public var userProperties: [(name: String, value: String)] {
        if let cloudEvent { return cloudEvent.properties }
        guard let stamp else { return [] }
        let seconds = (stamp.mediaTime * 1000).rounded() / 1000
        return [("frame", "\(stamp.frame)"), ("time", stamp.time.iso8601), ("mediaTime", "\(seconds)")]
    }

    /// The message as one line of JSON, as `facetd --print` writes it, with the topic's full name under `base`.
    ///
    /// A JSON payload is written as it is, a text as a JSON string; of a picture only the size is written.
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
