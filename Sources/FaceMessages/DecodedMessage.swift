/// A message as a subscriber reads it.
public enum DecodedMessage: Hashable, Sendable {
    /// All current faces.
    case metadata(MetadataMessage)
    /// Something that happened to a face.
    case event(EventMessage)
    /// How many faces there are.
    case count(Int)
    /// The zones, and how many faces are in each.
    case zones(ZonesMessage)
    /// What was seen since local midnight.
    case today(DayTotals, from: MessageOrigin)
    /// The daemon's and its camera's condition.
    case status(DaemonStatus, from: MessageOrigin)
    /// Rates, times and counters.
    case stats(DaemonStats, from: MessageOrigin)
    /// Whether detection is on.
    case detectState(Bool)
    /// What is to count as a smile.
    case smileSet(SmileChange)

    /// The topic it is published on.
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
        case .smileSet: .smileSet
        }
    }

    /// The frame it comes from; nil if it does not come from one.
    public var stamp: FrameStamp? {
        switch self {
        case .metadata(let message): message.stamp
        case .event(let message): message.event.stamp
        case .count, .zones, .today, .status, .stats, .detectState, .smileSet: nil
        }
    }

    /// Its sender; nil for commands, and for `count` and `detect/state`, whose payloads are bare values.
    public var origin: MessageOrigin? {
        switch self {
        case .metadata(let message): message.origin
        case .event(let message): message.origin
        case .zones(let message): message.origin
        case .today(_, let origin), .status(_, let origin), .stats(_, let origin): origin
        case .count, .detectState, .smileSet: nil
        }
    }
}
