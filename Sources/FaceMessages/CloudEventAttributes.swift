public import FaceMetadata

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
        [
            ("specversion", Self.specversion), ("id", id), ("source", source), ("type", type),
            ("time", time.iso8601),
        ]
    }

    /// One segment of a URI's path: all but RFC 3986's unreserved characters are percent-encoded, byte by byte.
    private static func pathSegment(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var segment = String.UnicodeScalarView()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                segment.append(Unicode.Scalar(byte))
            default:
                segment.append("%")
                segment.append(digits[Int(byte >> 4)])
                segment.append(digits[Int(byte & 15)])
            }
        }
        return String(segment)
    }
}
