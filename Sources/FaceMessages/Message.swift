/// One message of the wire contract, encoded.
public struct Message: Hashable, Sendable {
    /// Which topic it belongs to; carries quality of service and retention.
    public var topic: Topic

    /// The encoded payload.
    public var payload: [UInt8]

    /// The event's `seq`, on event topics only.
    public var sequence: Int?

    /// What CloudEvents says about the event, its id among it, on event topics only; nil elsewhere.
    public var cloudEvent: CloudEventAttributes?

    /// The frame of a preview picture, whose payload cannot say it.
    public var stamp: FrameStamp?

    /// When the frame that settled the event was captured; nil elsewhere. Not part of the message on the wire.
    public var captured: ContinuousClock.Instant?

    /// Makes a message from its topic and its encoded payload; an event's id and number stand in its payload too.
    public init(topic: Topic, payload: [UInt8], sequence: Int? = nil, cloudEvent: CloudEventAttributes? = nil) {
        (self.topic, self.payload) = (topic, payload)
        (self.sequence, self.cloudEvent) = (sequence, cloudEvent)
    }

    /// MQTT 5's content type of the payload.
    public var contentType: String {
        switch topic {
        case .previewJPEG: "image/jpeg"
        case .detectState, .detectSet: "text/plain"
        default: "application/json"
        }
    }

    /// MQTT 5's user properties, names and values in their order: an event's CloudEvents attributes, a picture's `frame`,
    /// `time` and `mediaTime`.
    public var userProperties: [(name: String, value: String)] {
        if let cloudEvent { return cloudEvent.properties }
        guard let stamp else { return [] }
        let seconds = (stamp.mediaTime * 1000).rounded() / 1000
        return [("frame", "\(stamp.frame)"), ("time", stamp.time.iso8601), ("mediaTime", "\(seconds)")]
    }

    /// The message as one line of JSON, as `facetd --print` writes it, with the topic's full name under `base`.
    ///
    /// A payload that is JSON stands there as it is, a text as a JSON string; a picture is given by its size only.
    public func line(base: String) -> [UInt8] {
        var line = Array("{\"topic\":".utf8)
        line += JSONWriter.quoted(topic.name(under: base))
        line += ",\"qos\":\(topic.qos),\"retain\":\(topic.isRetained),\"payload\":".utf8
        switch contentType {
        case "application/json": line += payload
        case "text/plain": line += JSONWriter.quoted(String(decoding: payload, as: UTF8.self))
        default: line += JSONWriter.quoted("\(payload.count) bytes of \(contentType)")
        }
        line += "}\n".utf8
        return line
    }
}

/// What CloudEvents 1.0 says about an event, in its binary mode: each attribute is an MQTT 5 user property of that name.
///
/// The payload is the event's data and stays as it is; the attribute `datacontenttype` is MQTT 5's content type.
public struct CloudEventAttributes: Hashable, Sendable {
    /// The version of the CloudEvents specification.
    public static let specversion = "1.0"

    /// The event's ULID, as in the payload; unique together with `source`.
    public var id: String
    /// Where it happened: `/facet/` and the camera's name, percent-encoded where a URI asks for it.
    public var source: String
    /// What happened: `facet.face.` and the event's topic, such as `facet.face.eyes_closed`.
    public var type: String
    /// When it happened: the capture time of the frame that settled it.
    public var time: Timestamp

    /// Makes the attributes of an event.
    ///
    /// - Parameters:
    ///   - id: The event's ULID.
    ///   - camera: The camera's name.
    ///   - topic: The topic it is published on.
    ///   - time: The capture time of the frame that settled it.
    public init(id: String, camera: String, topic: Topic, time: Timestamp) {
        self.id = id
        self.source = "/facet/" + Self.pathSegment(camera)
        self.type = "facet.face." + topic.rawValue
        self.time = time
    }

    /// Names and values in the order in which they are sent.
    public var properties: [(name: String, value: String)] {
        [("specversion", Self.specversion), ("id", id), ("source", source), ("type", type), ("time", time.iso8601)]
    }

    /// One segment of a URI's path: all but RFC 3986's unreserved characters are percent-encoded, byte by byte.
    private static func pathSegment(_ text: String) -> String {
        text.utf8.reduce(into: "") { segment, byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80,
                Character(scalar).isLetter || Character(scalar).isNumber || "-._~".contains(Character(scalar))
            {
                segment.unicodeScalars.append(scalar)
            } else {
                segment += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

/// A universally unique, lexicographically sortable identifier: 48 bits of milliseconds, then 80 random bits.
///
/// The form is that of the ULID specification: 26 characters of Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Makes an identifier for a time.
    public static func make(at time: Timestamp) -> String {
        let milliseconds = UInt128(max(0, time.nanoseconds / 1_000_000)) & 0xFFFF_FFFF_FFFF
        var bits = milliseconds << 80 | UInt128.random(in: 0..<1 << 80)
        var characters = [UInt8](repeating: 0, count: 26)
        for position in characters.indices.reversed() {
            characters[position] = alphabet[Int(truncatingIfNeeded: bits & 31)]
            bits >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
