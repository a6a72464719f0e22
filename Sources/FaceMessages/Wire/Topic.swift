/// A topic of one camera, without the base before it.
///
/// Everything directly under the base carries JSON, so `faces/+` can be parsed blindly.
public enum Topic: String, Hashable, Sendable, CaseIterable {
    /// All current faces, whenever one comes, goes or changes.
    case metadata
    /// A face came.
    case enter
    /// A face went.
    case leave
    /// A smile began.
    case smile
    /// A smile ended.
    case smileEnd = "smile_end"
    /// Eyes closed and opened.
    case blink
    /// Eyes stay closed.
    case eyesClosed = "eyes_closed"
    /// Eyes that stayed closed are open again.
    case eyesOpen = "eyes_open"
    /// A mouth stays wide open.
    case mouthOpen = "mouth_open"
    /// A face has begun to look at the camera, or in `look.direction`.
    case look
    /// A look ended.
    case lookAway = "look_away"
    /// A face came into a zone.
    case zoneEnter = "zone_enter"
    /// A face left a zone.
    case zoneLeave = "zone_leave"
    /// The person made a sign with eyes or head.
    case sign
    /// The number of faces: a bare integer.
    case count
    /// The zones with the number of faces in each.
    case zones
    /// The totals since local midnight.
    case today
    /// Whether the daemon and its camera work; also the last will.
    case status
    /// Rates, times and counters, every `stats.interval`.
    case stats
    /// Whether detection is on: `ON` or `OFF`.
    case detectState = "detect/state"
    /// The command `ON` or `OFF`, which switches detection; the daemon subscribes.
    case detectSet = "detect/set"
    /// The command with `level`, `hold` or both, which sets what counts as a smile; the daemon subscribes.
    case smileSet = "smile/set"
    /// The command with `zone` and `on`, which switches a zone; the daemon subscribes.
    case zoneSet = "zones/set"
    /// JPEG pictures, only with `preview.enabled`.
    case previewJPEG = "preview/jpeg"

    /// The topic's full name under a base such as `faces` or `porch/faces`.
    public func name(under base: String) -> String { base + "/" + rawValue }

    /// The topic at the end of a full name such as `porch/faces/detect/state`; nil if it is not one of the contract.
    public init?(name: String) {
        guard let topic = Self.allCases.first(where: { name.hasSuffix("/" + $0.rawValue) }) else { return nil }
        self = topic
    }

    /// The base of a full name that ends in this topic: `porch/faces` for `porch/faces/detect/state`.
    public func base(of name: String) -> String { String(name.dropLast(rawValue.count + 1)) }

    /// MQTT's quality of service that messages on this topic are sent with.
    public var qos: Int { [.metadata, .stats, .previewJPEG].contains(self) ? 0 : 1 }

    /// Whether the broker keeps the last message for those who subscribe later; never true for events.
    public var isRetained: Bool { [.metadata, .count, .zones, .today, .status, .detectState].contains(self) }

    /// The topics on which subscribers send the daemon commands.
    public static let commands: [Topic] = [.detectSet, .smileSet, .zoneSet]

    /// Whether messages on this topic are events: sent once, never retained, kept safe until the broker has them.
    public var isEvent: Bool { eventKind != nil }

    /// The event topics, in the order of the contract.
    public static let events = allCases.filter(\.isEvent)

    /// The kind of event on this topic, with empty values of its own; nil for a topic without events.
    var eventKind: FaceEvent.Kind? { Self.kinds[self] }

    private static let kinds: [Topic: FaceEvent.Kind] = {
        let kinds: [FaceEvent.Kind] = [
            .enter, .leave(dwell: 0, lastSeen: Timestamp(nanoseconds: 0), reason: .left), .smile,
            .smileEnd(duration: 0, peak: 0), .blink(eyes: .both, duration: 0), .eyesClosed(eyes: .both, duration: 0),
            .eyesOpen(eyes: .both, duration: 0), .mouthOpen, .look, .lookAway(duration: 0), .zoneEnter(zone: ""),
            .zoneLeave(zone: "", dwell: 0), .sign(.longBlink),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.map { (Topic($0), $0) })
    }()

    /// The topics that the owner can switch off; status, stats and the state of detection are always published.
    public static let selectable = allCases.filter { $0.isEvent || [.metadata, .count, .zones, .today].contains($0) }

    /// Topics that are published by default: without ends that `metadata` shows too, and without events that few need.
    public static let selected = selectable.filter {
        ![.smileEnd, .eyesOpen, .mouthOpen, .lookAway, .sign].contains($0)
    }

    /// The topic that an event is published on.
    public init(_ kind: FaceEvent.Kind) {
        self =
            switch kind {
            case .enter: .enter
            case .leave: .leave
            case .smile: .smile
            case .smileEnd: .smileEnd
            case .blink: .blink
            case .eyesClosed: .eyesClosed
            case .eyesOpen: .eyesOpen
            case .mouthOpen: .mouthOpen
            case .look: .look
            case .lookAway: .lookAway
            case .zoneEnter: .zoneEnter
            case .zoneLeave: .zoneLeave
            case .sign: .sign
            }
    }
}
