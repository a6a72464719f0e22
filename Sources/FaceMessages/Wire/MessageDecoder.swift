import FoundationEssentials

/// Decodes the MQTT messages of Facet, except pictures.
///
/// Unknown fields are ignored, so that newer daemons may add some. A missing field, a wrong type or a number out of
/// range is an error. Strings and lists are cut to limits far above what a daemon sends, because other programs may
/// publish on the broker, too.
public struct MessageDecoder: Sendable {
    /// Makes a decoder.
    public init() {}

    /// Decodes the payload of a message on a topic.
    /// - Throws: `MessageDecodingError` if the payload does not have the form that the topic requires.
    public func decode(_ payload: some Sequence<UInt8>, on topic: Topic) throws(MessageDecodingError) -> DaemonMessage {
        let bytes = Data(payload)
        let origin = MessageOrigin(camera: "", boot: "")
        if let kind = topic.eventKind {
            let event = FaceEvent(kind: kind, face: .blank, stamp: .unset)
            let blank = EventMessage(origin: origin, id: "", seq: 0, event: event, latency: nil)
            return .event(try read(blank, bytes, topic))
        }
        switch topic {
        case .metadata:
            var message = try read(MetadataMessage(origin: origin, stamp: .unset, faces: []), bytes, topic)
            // Of faces with the same identity, only the first counts: a subscriber would draw each of them.
            var known: Set<FaceID> = []
            message.faces.removeAll { !known.insert($0.faceID).inserted }
            return .metadata(message)
        case .status:
            let sent = try read(SentValue(origin: origin, value: DaemonStatus(state: .offline)), bytes, topic)
            return .status(sent.value, from: sent.origin)
        case .stats:
            let sent = try read(SentValue(origin: origin, value: DaemonStats()), bytes, topic)
            return .stats(sent.value, from: sent.origin)
        case .zones: return .zones(try read(ZonesMessage(origin: origin, zones: []), bytes, topic))
        case .today:
            let totals = DayTotals(since: Timestamp(nanoseconds: 0))
            let sent = try read(SentValue(origin: origin, value: totals), bytes, topic)
            return .today(sent.value, from: sent.origin)
        case .count:
            let limits = 0...MessageLimits.entries
            guard let count = try? JSONDecoder().decode(Int.self, from: bytes), limits.contains(count) else {
                let text = String(decoding: bytes.prefix(40), as: UTF8.self)
                throw .malformed(topic: topic, reason: "\(text) is not a whole number from 0 to \(limits.upperBound)")
            }
            return .count(count)
        case .detectState, .detectSet:
            let isOn = bytes.elementsEqual("ON".utf8)
            guard isOn || bytes.elementsEqual("OFF".utf8) else {
                throw .malformed(topic: topic, reason: "it is neither ON nor OFF")
            }
            return topic == .detectSet ? .detectSet(isOn) : .detectState(isOn)
        case .smileSet:
            let change = try read(SmileChange(), bytes, topic)
            guard change != SmileChange() else {
                throw .malformed(topic: topic, reason: "it holds neither level nor hold")
            }
            return .smileSet(change)
        case .zoneSet: return .zoneSet(try read(ZoneSwitch(zone: "", isOn: true), bytes, topic))
        default: throw .malformed(topic: topic, reason: "a picture is not a message")
        }
    }

    /// Decodes a message, whose fields replace those of `blank`.
    private func read<Value: WireValue>(
        _ blank: Value,
        _ bytes: Data,
        _ topic: Topic
    ) throws(MessageDecodingError) -> Value {
        let decoder = JSONDecoder()
        // The version is checked first, because a payload of another version may lack fields.
        if let version = try? decoder.decode(Version.self, from: bytes).schema, version != schemaVersion {
            throw .unknownSchema(version)
        }
        do {
            return try decoder.decode(JSONReader<Value>.self, from: bytes, configuration: blank).value
        } catch {
            throw .malformed(topic: topic, reason: (error as? DecodingError)?.reason ?? String(describing: error))
        }
    }
}

/// The part of a payload that is decoded first: the version of the message format.
private struct Version: Decodable { var schema: Int }

extension DecodingError {
    /// The error as one sentence for users.
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
