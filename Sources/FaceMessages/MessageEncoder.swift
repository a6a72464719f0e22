/// The version of the wire contract, the `schema` of every message.
public let schemaVersion = 1

/// The version of Facet: of both programs and the libraries.
public let facetVersion = "0.4.0"

/// Encodes what one run of the daemon publishes about one camera.
public struct MessageEncoder: Sendable {
    /// The camera's name and the id of this run, a ULID: in every message.
    public var origin: MessageOrigin

    /// Makes an encoder for a camera's name and the id of this run.
    public init(camera: String, boot: String) { self.init(MessageOrigin(camera: camera, boot: boot)) }
    package init(_ origin: MessageOrigin) { self.origin = origin }

    /// The current faces, all of them; an empty set says that the last one went.
    public func metadata(_ faces: [FaceObject], at stamp: FrameStamp) -> Message {
        let message = MetadataMessage(origin: origin, stamp: stamp, faces: faces)
        return Message(topic: .metadata, payload: JSONWriter.payload(reserving: 192 + 384 * faces.count, message))
    }

    /// One event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - id: A ULID, by which subscribers can drop a duplicate.
    ///   - seq: The event's number among all of this daemon, without a gap unless events were lost.
    ///   - latency: Seconds from the event's time to now; nil if no frame settled it.
    /// - Returns: The message on the event's topic.
    public func event(_ event: FaceEvent, id: String, seq: Int, latency: Double?) -> Message {
        let topic = Topic(event.kind)
        let message = EventMessage(origin: origin, id: id, seq: seq, event: event, latency: latency)
        let cloudEvent = CloudEventAttributes(id: id, camera: origin.camera, topic: topic, time: event.stamp.time)
        return Message(topic: topic, payload: JSONWriter.payload(message), sequence: seq, cloudEvent: cloudEvent)
    }

    /// How many faces are there.
    public func count(_ faces: Int) -> Message { Message(topic: .count, payload: Array(String(faces).utf8)) }

    /// The zones, and how many faces are in each.
    public func zones(_ zones: [ZonesMessage.Zone]) -> Message {
        Message(topic: .zones, payload: JSONWriter.payload(ZonesMessage(origin: origin, zones: zones)))
    }

    /// What was seen since local midnight.
    public func today(_ totals: DayTotals) -> Message {
        Message(topic: .today, payload: JSONWriter.payload(SentValue(origin: origin, value: totals)))
    }

    /// Whether detection is on.
    public func detectState(_ isOn: Bool) -> Message {
        Message(topic: .detectState, payload: Array((isOn ? "ON" : "OFF").utf8))
    }

    /// A command that sets what counts as a smile.
    public static func smileSet(_ change: SmileChange) -> Message {
        Message(topic: .smileSet, payload: JSONWriter.payload(change))
    }

    /// A picture of a frame, as a JPEG.
    public func preview(_ jpeg: [UInt8], of stamp: FrameStamp) -> Message {
        var message = Message(topic: .previewJPEG, payload: jpeg)
        message.stamp = stamp
        return message
    }

    /// The daemon's and its camera's condition.
    public func status(_ status: DaemonStatus) -> Message {
        Message(topic: .status, payload: JSONWriter.payload(SentValue(origin: origin, value: status)))
    }

    /// Rates, times and counters.
    public func stats(_ stats: DaemonStats) -> Message {
        let message = SentValue(origin: origin, value: stats)
        return Message(topic: .stats, payload: JSONWriter.payload(reserving: 768, message))
    }
}
