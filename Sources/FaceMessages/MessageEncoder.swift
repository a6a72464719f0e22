public import FaceMetadata

/// The version of the wire contract, the `schema` of every message.
public let schemaVersion = 1

/// The version of Facet: of both programs and the libraries.
public let facetVersion = "0.2.0"

/// Encodes what one run of the daemon publishes about one camera.
public struct MessageEncoder: Sendable {
    /// The camera's name, in every message.
    public var camera: String

    /// The id of this run, in every message: a ULID.
    public var boot: String

    /// Makes an encoder for a camera's name and the id of this run.
    public init(camera: String, boot: String) {
        self.camera = camera
        self.boot = boot
    }

    /// The current faces, all of them; an empty set says that the last one went.
    public func metadata(_ faces: [FaceObject], at stamp: FrameStamp) -> Message {
        let payload = JSONWriter.object(reserving: 192 + 384 * faces.count) { json in
            common(&json)
            json.stamp(stamp)
            json.array("faces", faces) { json, face in
                json.field("faceID", face.faceID.rawValue)
                json.pose(of: face)
                json.field("confidence", face.confidence, decimals: 2)
                json.point("leftEye", face.leftEye)
                json.point("rightEye", face.rightEye)
                json.point("mouth", face.mouth)
                json.field("smiling", face.smiling)
                json.field("smile", face.smile, decimals: 2)
                json.field("leftEyeClosed", face.leftEyeClosed)
                json.field("rightEyeClosed", face.rightEyeClosed)
                json.field("trackedFrames", face.trackedFrames)
                json.field("seen", face.isSeen ? nil : false)
            }
        }
        return Message(topic: .metadata, payload: payload)
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
        let payload = JSONWriter.object { json in
            json.field("schema", schemaVersion)
            json.field("event_type", topic.rawValue)
            json.field("id", id)
            json.field("seq", seq)
            json.field("camera", camera)
            json.field("boot", boot)
            json.field("faceID", event.face.faceID.rawValue)
            json.stamp(event.stamp)
            json.pose(of: event.face)
            json.field("confidence", event.face.confidence, decimals: 2)
            json.details(of: event.kind)
            json.field("latencyMs", latency.map { $0 * 1000 }, decimals: 1)
        }
        let cloudEvent = CloudEventAttributes(id: id, camera: camera, topic: topic, time: event.stamp.time)
        return Message(topic: topic, payload: payload, eventID: id, sequence: seq, cloudEvent: cloudEvent)
    }

    /// How many faces are there.
    public func count(_ faces: Int) -> Message {
        Message(topic: .count, payload: Array(String(faces).utf8))
    }

    /// Whether detection is on.
    public func detectState(_ isOn: Bool) -> Message {
        Message(topic: .detectState, payload: Array((isOn ? "ON" : "OFF").utf8))
    }

    /// A picture of a frame, as a JPEG.
    public func preview(_ jpeg: [UInt8], of stamp: FrameStamp) -> Message {
        var message = Message(topic: .previewJPEG, payload: jpeg)
        message.stamp = stamp
        return message
    }

    /// The daemon's and its camera's condition.
    public func status(_ status: DaemonStatus) -> Message {
        let payload = JSONWriter.object(reserving: 256) { json in
            common(&json)
            json.field("time", status.time?.iso8601)
            json.field("state", status.state.rawValue)
            json.field("cameraState", status.cameraState?.rawValue)
            json.field("reason", status.reason)
            json.field("detail", status.detail)
            if let picture = status.picture {
                json.object("picture") { json in
                    json.field("width", picture.width)
                    json.field("height", picture.height)
                }
            }
            json.field("detect", status.detect.map { $0 ? "ON" : "OFF" })
            json.field("version", status.version)
            if let attention = status.attention { json.field("attention", attention.map(\.rawValue)) }
            json.field("outbox", status.outbox?.rawValue)
            json.field("outboxDetail", status.outboxDetail)
            json.field("broker", status.broker)
        }
        return Message(topic: .status, payload: payload)
    }

    /// Rates, times and counters.
    public func stats(_ stats: DaemonStats) -> Message {
        let payload = JSONWriter.object(reserving: 768) { json in
            common(&json)
            json.statistics(stats)
        }
        return Message(topic: .stats, payload: payload)
    }

    private func common(_ json: inout JSONWriter) {
        json.field("schema", schemaVersion)
        json.field("camera", camera)
        json.field("boot", boot)
    }
}

extension JSONWriter {
    static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }

    fileprivate mutating func stamp(_ stamp: FrameStamp) {
        field("frame", stamp.frame)
        field("time", stamp.time.iso8601)
        field("mediaTime", stamp.mediaTime, decimals: 3)
    }

    /// Bounds to 1/10,000 of the picture, a tenth of a pixel at 1080p; angles to a tenth of a degree.
    fileprivate mutating func pose(of face: FaceObject) {
        object("bounds") { json in
            json.field("x", face.bounds.x, decimals: 4)
            json.field("y", face.bounds.y, decimals: 4)
            json.field("width", face.bounds.width, decimals: 4)
            json.field("height", face.bounds.height, decimals: 4)
        }
        angle("roll", face.pose?.roll)
        angle("yaw", face.pose?.yaw)
        angle("pitch", face.pose?.pitch)
    }

    /// An angle in (−180, 180]: what would be rounded to −180 is 180.
    private mutating func angle(_ name: StaticString, _ degrees: Double?) {
        field(name, degrees.map { $0 <= -179.95 ? 180 : $0 }, decimals: 1)
    }

    fileprivate mutating func point(_ name: StaticString, _ point: NormalizedPoint?) {
        guard let point else { return }
        object(name) { json in
            json.field("x", point.x, decimals: 4)
            json.field("y", point.y, decimals: 4)
        }
    }

    fileprivate mutating func details(of kind: FaceEvent.Kind) {
        if case .leave(let dwell, let lastSeen, let reason) = kind {
            field("dwell", dwell, decimals: 3)
            field("lastSeen", lastSeen.iso8601)
            field("reason", reason.rawValue)
        }
        field("eyes", kind.eyes?.rawValue)
        field("duration", kind.duration, decimals: 3)
        if case .smileEnd(_, let peak) = kind { field("peak", peak, decimals: 2) }
    }
}
