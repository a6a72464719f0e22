/// The attributes of an event in CloudEvents 1.0, binary mode: each is an MQTT 5 user property of its name.
///
/// The payload is the event's data and stays as it is; the attribute `datacontenttype` is MQTT 5's content type.
public struct CloudEventAttributes: Hashable, Sendable {
    /// The version of the CloudEvents specification.
    public static let specversion = "1.0"

    /// The event's ULID, as in the payload; unique together with `source`.
    public var id: String
    /// The source, in CloudEvents' words: `/facet/` and the camera's name, percent-encoded where a URI asks for it.
    public var source: String
    /// The kind of event: `facet.face.` and the event's topic, such as `facet.face.eyes_closed`.
    public var type: String
    /// The capture time of the frame that settled the event.
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

    /// RFC 3986's unreserved characters.
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// The text as one segment of a URI's path: all but unreserved characters are percent-encoded, byte by byte.
    private static func pathSegment(_ text: String) -> String {
        text.utf8.reduce(into: "") { segment, byte in
            // The sum begins with a 1, which keeps the zero that the digits may begin with.
            let digits = String(0x100 + Int(byte), radix: 16, uppercase: true).dropFirst()
            segment += unreserved.contains(byte) ? String(Unicode.Scalar(byte)) : "%\(digits)"
        }
    }
}
