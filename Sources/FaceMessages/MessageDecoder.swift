import FaceMetadata
import FoundationEssentials

/// Reads messages of the wire contract.
///
/// Fields it does not know are passed over, so that newer daemons may add some; a missing one, a wrong type or a number
/// out of range is an error. Texts and lists are cut to a limit far above what a daemon sends: anyone who may publish on
/// the broker decides what is in them.
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
            return .stats(try json(StatsPayload.self, bytes, topic).message)
        case .count:
            return .count(try json(Integer<Faces>.self, bytes, topic).value)
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
            seq: payload.seq.value,
            event: FaceEvent(kind: kind, face: payload.face, stamp: payload.stamp),
            latency: payload.latencyMs.map { $0.value / 1000 }
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

/// A number of the contract that is refused outside its range.
private struct Number<Limits: NumberLimits>: Decodable {
    var value: Double

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Double.self)
        guard Limits.range.contains(value) else { throw DecodingError.outOfRange("\(value)", Limits.range, decoder) }
    }
}

/// A whole number of the contract that is refused outside its range.
private struct Integer<Limits: NumberLimits>: Decodable {
    var value: Int

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
        guard Limits.range.contains(Double(value)) else {
            throw DecodingError.outOfRange("\(value)", Limits.range, decoder)
        }
    }
}

private protocol NumberLimits { static var range: ClosedRange<Double> { get } }
/// Faces in one picture.
private enum Faces: NumberLimits { static let range = 0...Double(MessageLimits.entries) }
/// Counters and frame numbers. Readers of JSON in other languages keep whole numbers exactly up to 2⁵³.
private enum Counter: NumberLimits { static let range = 0...0x1p53 }
/// Identities, which begin with 1.
private enum Identity: NumberLimits { static let range = 1...0x1p53 }
/// Pixels of a picture's side: a canvas of that shape can be made.
private enum Pixels: NumberLimits { static let range = 1...Double(MessageLimits.pictureSide) }
private enum Share: NumberLimits { static let range = 0.0...1 }
/// Places and lengths as shares of the picture. The contract has −1…2; the rest is room for what later versions may find.
private enum Coordinate: NumberLimits { static let range = -8.0...8 }
private enum Length: NumberLimits { static let range = 0.0...8 }
private enum Degrees: NumberLimits { static let range = -180.0...180 }
/// Times, rates and shares without an upper bound in the contract; as seconds more than 30,000 years.
private enum Amount: NumberLimits { static let range = 0.0...1e12 }

extension DecodingError {
    fileprivate static func outOfRange(_ value: String, _ range: ClosedRange<Double>, _ decoder: any Decoder) -> Self {
        let words = "\(value) is not in \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        return .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: words))
    }
}

private struct WirePoint: Decodable {
    var x: Number<Coordinate>
    var y: Number<Coordinate>
    var point: NormalizedPoint { NormalizedPoint(x: x.value, y: y.value) }
}

private struct WireRect: Decodable {
    var x: Number<Coordinate>
    var y: Number<Coordinate>
    var width: Number<Length>
    var height: Number<Length>
    var rect: NormalizedRect { NormalizedRect(x: x.value, y: y.value, width: width.value, height: height.value) }
}

private struct WireFace: Decodable {
    var faceID: Integer<Identity>
    var bounds: WireRect
    var roll: Number<Degrees>?
    var yaw: Number<Degrees>?
    var pitch: Number<Degrees>?
    var confidence: Number<Share>
    var leftEye: WirePoint?
    var rightEye: WirePoint?
    var mouth: WirePoint?
    var smiling: Bool?
    var smile: Number<Share>?
    var leftEyeClosed: Bool?
    var rightEyeClosed: Bool?
    var trackedFrames: Integer<Counter>?
    var seen: Bool?

    var face: FaceObject {
        var pose: HeadPose?
        if let roll, let yaw, let pitch { pose = HeadPose(roll: roll.value, yaw: yaw.value, pitch: pitch.value) }
        return FaceObject(
            faceID: FaceID(rawValue: faceID.value),
            bounds: bounds.rect,
            pose: pose,
            confidence: confidence.value,
            leftEye: leftEye?.point,
            rightEye: rightEye?.point,
            mouth: mouth?.point,
            smiling: smiling,
            smile: smile?.value,
            leftEyeClosed: leftEyeClosed,
            rightEyeClosed: rightEyeClosed,
            trackedFrames: trackedFrames?.value ?? 0,
            isSeen: seen ?? true
        )
    }
}

private struct MetadataPayload: Decodable {
    var camera: String
    var boot: String
    var frame: Integer<Counter>
    var time: WireTime
    var mediaTime: Number<Amount>
    var faces: [WireFace]

    var message: MetadataMessage {
        // A face named twice would be drawn twice: the first one counts.
        var known: Set<FaceID> = []
        return MetadataMessage(
            origin: MessageOrigin(camera: camera.name, boot: boot.name),
            stamp: FrameStamp(frame: frame.value, time: time.timestamp, mediaTime: mediaTime.value),
            faces: faces.prefix(MessageLimits.entries).map(\.face).filter { known.insert($0.faceID).inserted }
        )
    }
}

private struct EventPayload: Decodable {
    var id: String
    var seq: Integer<Counter>
    var camera: String
    var boot: String
    var frame: Integer<Counter>
    var time: WireTime
    var mediaTime: Number<Amount>
    var dwell: Number<Amount>?
    var lastSeen: WireTime?
    var reason: String?
    var eyes: String?
    var duration: Number<Amount>?
    var peak: Number<Share>?
    var latencyMs: Number<Amount>?
    var face: FaceObject

    private enum CodingKeys: String, CodingKey {
        case id, seq, camera, boot, frame, time, mediaTime, dwell, lastSeen, reason, eyes, duration, peak, latencyMs
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        seq = try container.decode(Integer<Counter>.self, forKey: .seq)
        camera = try container.decode(String.self, forKey: .camera)
        boot = try container.decode(String.self, forKey: .boot)
        frame = try container.decode(Integer<Counter>.self, forKey: .frame)
        time = try container.decode(WireTime.self, forKey: .time)
        mediaTime = try container.decode(Number<Amount>.self, forKey: .mediaTime)
        dwell = try container.decodeIfPresent(Number<Amount>.self, forKey: .dwell)
        lastSeen = try container.decodeIfPresent(WireTime.self, forKey: .lastSeen)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        eyes = try container.decodeIfPresent(String.self, forKey: .eyes)
        duration = try container.decodeIfPresent(Number<Amount>.self, forKey: .duration)
        peak = try container.decodeIfPresent(Number<Share>.self, forKey: .peak)
        latencyMs = try container.decodeIfPresent(Number<Amount>.self, forKey: .latencyMs)
        face = try WireFace(from: decoder).face
    }

    var stamp: FrameStamp {
        FrameStamp(frame: frame.value, time: time.timestamp, mediaTime: mediaTime.value)
    }

    func kind(on topic: Topic) -> FaceEvent.Kind? {
        let closed = eyes.flatMap(FaceEvent.Eyes.init(rawValue:)).flatMap { eyes in duration.map { (eyes, $0.value) } }
        switch topic {
        case .enter: return .enter
        case .smile: return .smile
        case .smileEnd:
            guard let duration, let peak else { return nil }
            return .smileEnd(duration: duration.value, peak: peak.value)
        case .blink: return closed.map { .blink(eyes: $0.0, duration: $0.1) }
        case .eyesClosed: return closed.map { .eyesClosed(eyes: $0.0, duration: $0.1) }
        case .leave:
            guard let dwell, let lastSeen, let reason = reason.flatMap(FaceEvent.LeaveReason.init(rawValue:)) else {
                return nil
            }
            return .leave(dwell: dwell.value, lastSeen: lastSeen.timestamp, reason: reason)
        default: return nil
        }
    }
}

extension DaemonStatus.State: Decodable {}

private struct WirePicture: Decodable {
    var width: Integer<Pixels>
    var height: Integer<Pixels>
}

private struct StatusPayload: Decodable {
    var camera: String
    var boot: String
    var state: DaemonStatus.State
    var cameraState: String?
    var reason: String?
    var detail: String?
    var picture: WirePicture?
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
            picture: picture.map { DaemonStatus.Picture(width: $0.width.value, height: $0.height.value) },
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

private struct StatsPayload: Decodable {
    struct Frames: Decodable {
        var captured: Integer<Counter>
        var analysed: Integer<Counter>
        var dropped: [String: Integer<Counter>]
    }

    struct Stage: Decodable {
        var name: String
        var runs: Integer<Counter>
        var meanMs: Number<Amount>
        var maxMs: Number<Amount>
    }

    struct Messages: Decodable {
        var sent: Integer<Counter>
        var queued: Integer<Counter>
        var expired: Integer<Counter>
        var dropped: [String: Integer<Counter>]
        var unsafe: Integer<Counter>?
        var outbox: String?

        var counters: DaemonStats.Messages {
            var counters = DaemonStats.Messages()
            counters.sent = sent.value
            counters.queued = queued.value
            counters.expired = expired.value
            counters.dropped = dropped.counters
            counters.unsafe = unsafe?.value ?? 0
            counters.outbox = outbox.flatMap(DaemonStatus.Outbox.init(rawValue:))
            return counters
        }
    }

    var camera: String
    var boot: String
    var time: WireTime
    var uptime: Number<Amount>
    var interval: Number<Amount>
    var frameRate: Number<Amount>
    var analysisRate: Number<Amount>
    var frames: Frames
    var stages: [Stage]
    var cpu: Number<Amount>
    var rss: Integer<Counter>
    var messages: Messages

    var message: StatsMessage {
        let stats = DaemonStats(
            time: time.timestamp,
            uptime: uptime.value,
            interval: interval.value,
            frameRate: frameRate.value,
            analysisRate: analysisRate.value,
            captured: frames.captured.value,
            analysed: frames.analysed.value,
            dropped: frames.dropped.counters,
            stages: stages.prefix(MessageLimits.entries).map {
                DaemonStats.Stage(
                    name: $0.name.name,
                    runs: $0.runs.value,
                    mean: $0.meanMs.value / 1000,
                    longest: $0.maxMs.value / 1000
                )
            },
            cpu: cpu.value,
            residentBytes: rss.value,
            messages: messages.counters
        )
        return StatsMessage(origin: MessageOrigin(camera: camera.name, boot: boot.name), stats: stats)
    }
}

extension [String: Integer<Counter>] {
    /// Not more entries and no longer names than a daemon has; two names that become one are one counter.
    fileprivate var counters: [String: Int] {
        let kept = sorted { $0.key < $1.key }.prefix(MessageLimits.entries)
        return [String: Int](kept.map { ($0.key.name, $0.value.value) }) { first, _ in first }
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
