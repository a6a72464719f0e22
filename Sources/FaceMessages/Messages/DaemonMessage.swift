/// A decoded message that a daemon publishes about its camera, or a decoded command to it. Pictures are not included.
public enum DaemonMessage: Hashable, Sendable {
    /// All present faces in one frame.
    case metadata(MetadataMessage)
    /// An event of a face.
    case event(EventMessage)
    /// The number of faces.
    case count(Int)
    /// The zones with the number of faces in each.
    case zones(ZonesMessage)
    /// The totals since local midnight.
    case today(DayTotals, from: MessageOrigin)
    /// The condition of the daemon and its camera.
    case status(DaemonStatus, from: MessageOrigin)
    /// Performance statistics: rates, times and counters.
    case stats(DaemonStats, from: MessageOrigin)
    /// Whether detection is on.
    case detectState(Bool)
    /// A command that switches detection on or off.
    case detectSet(Bool)
    /// A command that sets what counts as a smile.
    case smileSet(SmileChange)
    /// A command that switches a zone on or off.
    case zoneSet(ZoneSwitch)

    /// The topic of the message.
    public var topic: Topic {
        switch self {
        case .metadata: .metadata
        case .event(let message): Topic(message.event.kind)
        case .count: .count
        case .zones: .zones
        case .today: .today
        case .status: .status
        case .stats: .stats
        case .detectState: .detectState
        case .detectSet: .detectSet
        case .smileSet: .smileSet
        case .zoneSet: .zoneSet
        }
    }

    /// The frame that the message is about; nil if it is not about a single frame.
    public var stamp: FrameStamp? {
        switch self {
        case .metadata(let message): message.stamp
        case .event(let message): message.event.stamp
        case .count, .zones, .today, .status, .stats, .detectState, .detectSet, .smileSet, .zoneSet: nil
        }
    }

    /// The sender; nil for commands, and for `count` and `detect/state`, whose payloads are bare values.
    public var origin: MessageOrigin? {
        switch self {
        case .metadata(let message): message.origin
        case .event(let message): message.origin
        case .zones(let message): message.origin
        case .today(_, let origin), .status(_, let origin), .stats(_, let origin): origin
        case .count, .detectState, .detectSet, .smileSet, .zoneSet: nil
        }
    }

    /// The encoded message, ready to be published.
    public var encoded: Message {
        var message = Message(topic: topic, payload: payload)
        if case .event(let event) = self {
            let camera = event.origin.camera
            let time = event.event.stamp.time
            message.sequence = event.seq
            message.cloudEvent = CloudEventAttributes(id: event.id, camera: camera, topic: topic, time: time)
        }
        return message
    }

    private var payload: [UInt8] {
        switch self {
        case .metadata(let message): JSONWriter.payload(reserving: 192 + 384 * message.faces.count, message)
        case .event(let message): JSONWriter.payload(message)
        case .count(let faces): Array(String(faces).utf8)
        case .zones(let message): JSONWriter.payload(message)
        case .today(let totals, let origin): JSONWriter.payload(SentValue(origin: origin, value: totals))
        case .status(let status, let origin): JSONWriter.payload(SentValue(origin: origin, value: status))
        case .stats(let stats, let origin):
            JSONWriter.payload(reserving: 768, SentValue(origin: origin, value: stats))
        case .detectState(let isOn), .detectSet(let isOn): Array((isOn ? "ON" : "OFF").utf8)
        case .smileSet(let change): JSONWriter.payload(change)
        case .zoneSet(let command): JSONWriter.payload(command)
        }
    }
}
