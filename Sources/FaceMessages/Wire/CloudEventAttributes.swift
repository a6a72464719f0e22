/// The CloudEvents 1.0 attributes of an event in binary mode. Each is sent as an MQTT 5 user property with its name.
///
/// The MQTT payload is the event's data. MQTT 5's content type takes the place of the attribute `datacontenttype`.
public struct CloudEventAttributes: Hashable, Sendable {
    /// The version of the CloudEvents specification.
    public static let specversion = "1.0"

    /// The event's ULID, as in the payload; unique together with `source`.
    public var id: String
    /// The sender: `/facet/` and the camera's name, which is percent-encoded for a URI.
    public var source: String
    /// The kind of event: `facet.face.` and the event's topic, such as `facet.face.eyes_closed`.
    public var type: String
    /// The capture time of the event's frame.
    public var time: Timestamp

    /// Makes the attributes of an event.
    ///
    /// - Parameters:
    ///   - id: The event's ULID.
    ///   - camera: The camera's name.
    ///   - topic: The topic on which the event is published.
    ///   - time: The capture time of the event's frame.
    public init(id: String, camera: String, topic: Topic, time: Timestamp) {
        self.id = id
        self.source = "/facet/" + Self.pathSegment(camera)
        self.type = "facet.face." + topic.rawValue
        self.time = time
    }

    /// The attributes' names and values, in the order in which they are sent.
    public var properties: [(name: String, value: String)] {
        [("specversion", Self.specversion), ("id", id), ("source", source), ("type", type), ("time", time.iso8601)]
    }

    /// The bytes that RFC 3986 calls unreserved: only these are not percent-encoded.
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Returns the text as one segment of a URI's path, with every byte percent-encoded that is not unreserved.
    private static func pathSegment(_ text: String) -> String {
        text.utf8.reduce(into: "") { segment, byte in
            // Adding 0x100 and dropping its digit 1 keeps a leading zero.
            let digits = String(0x100 + Int(byte), radix: 16, uppercase: true).dropFirst()
            segment += unreserved.contains(byte) ? String(Unicode.Scalar(byte)) : "%\(digits)"
        }
    }
}
