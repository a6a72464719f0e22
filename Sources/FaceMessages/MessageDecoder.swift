import FaceMetadata
import FoundationEssentials

/// Reads messages of the wire contract.
///
/// Fields it does not know are passed over, so that newer daemons may add some; a missing one or a wrong type is an
/// error. Texts and lists are cut to `MessageLimits`: anyone who may publish on the broker decides what is in them.
public struct MessageDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Reads the payload of a message on a topic.
    ///
    /// - Throws: `MessageDecodingError` if the payload is not what the topic promises. Trying again does not help.
    public func decode(_ payload: some Sequence<UInt8>, on topic: Topic) throws(MessageDecodingError) -> DecodedMessage
    {
        let bytes = Array(payload)
        switch topic {
        case .metadata:
            return .metadata(try json(MetadataPayload.self, bytes, topic).message)
        case _ where topic.isEvent:
            return .event(try event(bytes, topic))
        case .status:
            return .status(try json(StatusPayload.self, bytes, topic).message)
        case .stats:
            // Handed on as it is, so that it must at least be an object of this version.
            _ = try json(Version.self, bytes, topic)
            return .stats(bytes)
        case .count:
            return .count(try json(Int.self, bytes, topic))
        case .detectState, .detectSet:
            switch String(decoding: bytes, as: UTF8.self) {
            case "ON": return .detectState(true)
            case "OFF": return .detectState(false)
            default: throw .malformed(topic: topic, reason: "it is neither ON nor OFF")
            }
        default:
            throw .malformed(topic: topic, reason: "a picture is no message")
        }
    }

    private func json<Value: Decodable>(
        _ type: Value.Type,
        _ bytes: [UInt8],
        _ topic: Topic
    ) throws(MessageDecodingError) -> Value {
        do {
            let decoder = JSONDecoder()
            let data = Data(bytes)
            // The version comes first: a payload of another one may well lack fields.
            if let version = try? decoder.decode(Version.self, from: data).schema, version != schemaVersion {
                throw MessageDecodingError.unknownSchema(version)
            }
            return try decoder.decode(type, from: data)
        } catch let error as MessageDecodingError {
            throw error
        } catch let error as DecodingError {
            throw .malformed(topic: topic, reason: error.reason)
        } catch {
            throw .malformed(topic: topic, reason: String(describing: error))
        }
    }

    private func event(_ bytes: [UInt8], _ topic: Topic) throws(MessageDecodingError) -> EventMessage {
        let payload = try json(EventPayload.self, bytes, topic)
        guard let kind = payload.kind(on: topic) else {
            throw .malformed(topic: topic, reason: "a field that belongs to this event is missing")
        }
        return EventMessage(
            origin: MessageOrigin(camera: payload.camera.name, boot: payload.boot.name),
            id: payload.id.name,
            seq: payload.seq,
            event: FaceEvent(kind: kind, face: payload.face, stamp: payload.stamp),
            latency: payload.latencyMs.map { $0 / 1000 }
        )
    }
}

/// How much of a message is taken over, far above what a daemon sends.
package enum MessageLimits {
    /// Bytes of a name or an identifier in UTF-8.
    package static let nameBytes = 256
    /// Bytes of a sentence in UTF-8.
    package static let textBytes = 1024
    /// Faces in one message, and entries of any other list.
    package static let entries = 100
    /// Pixels of a picture's longer side.
    package static let pictureSide = 8192
}

extension String {
    /// The beginning that fits into so many bytes of UTF-8. Not by characters: one of them may have any length.
    fileprivate func limited(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var room = bytes
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    fileprivate var name: String { limited(to: MessageLimits.nameBytes) }
    fileprivate var text: String { limited(to: MessageLimits.textBytes) }
}

private struct Version: Decodable {
    var schema: Int
}

private struct WireTime: Decodable {
    var timestamp: Timestamp

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let timestamp = Timestamp(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an ISO 8601 time in UTC")
        }
        self.timestamp = timestamp
    }
}

private struct WirePoint: Decodable {
    var x: Double
    var y: Double
    var point: NormalizedPoint { NormalizedPoint(x: x, y: y) }
}

private struct WireRect: Decodable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var rect: NormalizedRect { NormalizedRect(x: x, y: y, width: width, height: height) }
}

private struct WireFace: Decodable {
    var faceID: Int
    var bounds: WireRect
    var roll: Double?
    var yaw: Double?
    var pitch: Double?
    var confidence: Double
    var leftEye: WirePoint?
    var rightEye: WirePoint?
    var mouth: WirePoint?
    var smiling: Bool?
    var smile: Double?
    var leftEyeClosed: Bool?
    var rightEyeClosed: Bool?
    var trackedFrames: Int?
    var seen: Bool?

    var face: FaceObject {
        var pose: HeadPose?
        if let roll, let yaw, let pitch { pose = HeadPose(roll: roll, yaw: yaw, pitch: pitch) }
        return FaceObject(
            faceID: FaceID(rawValue: faceID),
            bounds: bounds.rect,
            pose: pose,
            confidence: confidence,
            leftEye: leftEye?.point,
            rightEye: rightEye?.point,
            mouth: mouth?.point,
            smiling: smiling,
            smile: smile,
            leftEyeClosed: leftEyeClosed,
            rightEyeClosed: rightEyeClosed,
            trackedFrames: trackedFrames ?? 0,
            isSeen: seen ?? true
        )
    }
}

private struct MetadataPayload: Decodable {
    var camera: String
    var boot: String
    var frame: Int
    var time: WireTime
    var mediaTime: Double
    var faces: [WireFace]

    var message: MetadataMessage {
        MetadataMessage(
            origin: MessageOrigin(camera: camera.name, boot: boot.name),
            stamp: FrameStamp(frame: frame, time: time.timestamp, mediaTime: mediaTime),
            faces: faces.prefix(MessageLimits.entries).map(\.face)
        )
    }
}

private struct EventPayload: Decodable {
    var id: String
    var seq: Int
    var camera: String
    var boot: String
    var frame: Int
    var time: WireTime
    var mediaTime: Double
    var dwell: Double?
    var lastSeen: WireTime?
    var reason: String?
    var eyes: String?
    var duration: Double?
    var latencyMs: Double?
    var face: FaceObject

    private enum CodingKeys: String, CodingKey {
        case id, seq, camera, boot, frame, time, mediaTime, dwell, lastSeen, reason, eyes, duration, latencyMs
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        seq = try container.decode(Int.self, forKey: .seq)
        camera = try container.decode(String.self, forKey: .camera)
        boot = try container.decode(String.self, forKey: .boot)
        frame = try container.decode(Int.self, forKey: .frame)
        time = try container.decode(WireTime.self, forKey: .time)
        mediaTime = try container.decode(Double.self, forKey: .mediaTime)
        dwell = try container.decodeIfPresent(Double.self, forKey: .dwell)
        lastSeen = try container.decodeIfPresent(WireTime.self, forKey: .lastSeen)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        eyes = try container.decodeIfPresent(String.self, forKey: .eyes)
        duration = try container.decodeIfPresent(Double.self, forKey: .duration)
        latencyMs = try container.decodeIfPresent(Double.self, forKey: .latencyMs)
        face = try WireFace(from: decoder).face
    }

    var stamp: FrameStamp { FrameStamp(frame: frame, time: time.timestamp, mediaTime: mediaTime) }

    func kind(on topic: Topic) -> FaceEvent.Kind? {
        let closed = eyes.flatMap(FaceEvent.Eyes.init(rawValue:)).flatMap { eyes in duration.map { (eyes, $0) } }
        switch topic {
        case .enter: return .enter
        case .smile: return .smile
        case .blink: return closed.map { .blink(eyes: $0.0, duration: $0.1) }
        case .eyesClosed: return closed.map { .eyesClosed(eyes: $0.0, duration: $0.1) }
        case .leave:
            guard let dwell, let lastSeen, let reason = reason.flatMap(FaceEvent.LeaveReason.init(rawValue:)) else {
                return nil
            }
            return .leave(dwell: dwell, lastSeen: lastSeen.timestamp, reason: reason)
        default: return nil
        }
    }
}

extension DaemonStatus.State: Decodable {}

extension DaemonStatus.Picture {
    /// Whether a canvas of that shape can be made.
    fileprivate var isPlausible: Bool { [width, height].allSatisfy((1...MessageLimits.pictureSide).contains) }
}

private struct StatusPayload: Decodable {
    var camera: String
    var boot: String
    var state: DaemonStatus.State
    var cameraState: String?
    var reason: String?
    var detail: String?
    var picture: DaemonStatus.Picture?
    var detect: String?
    var version: String?
    var attention: [String]?
    var outbox: String?
    var outboxDetail: String?
    var broker: String?
    var time: WireTime?

    var message: StatusMessage {
        // A camera state or an attention that only a newer daemon knows must not hide the rest.
        let status = DaemonStatus(
            state: state,
            cameraState: cameraState.flatMap(DaemonStatus.CameraState.init(rawValue:)),
            reason: reason?.name,
            detail: detail?.text,
            picture: picture.flatMap { $0.isPlausible ? $0 : nil },
            detect: detect.map { $0 == "ON" },
            version: version?.name,
            attention: attention.map { $0.prefix(MessageLimits.entries).compactMap(FaceAttention.init(rawValue:)) },
            outbox: outbox.flatMap(DaemonStatus.Outbox.init(rawValue:)),
            outboxDetail: outboxDetail?.text,
            broker: broker?.name,
            time: time?.timestamp
        )
        return StatusMessage(origin: MessageOrigin(camera: camera.name, boot: boot.name), status: status)
    }
}

extension DecodingError {
    /// One sentence for people.
    fileprivate var reason: String {
        switch self {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            if let key = context.codingPath.last {
                "\(key.stringValue): \(context.debugDescription)"
            } else {
                context.debugDescription
            }
        @unknown default: String(describing: self)
        }
    }
}
