/// A topic of one camera, without the base topic before it, which is `faces` by default.
///
/// Payloads on all topics directly under the base are JSON, so that a subscriber to `faces/+` can parse each.
public enum Topic: String, Hashable, Sendable, CaseIterable {
    /// All present faces, whenever one enters, leaves or changes.
    case metadata
    /// A face has entered.
    case enter
    /// A face has left.
    case leave
    /// A smile began.
    case smile
    /// A smile ended.
    case smileEnd = "smile_end"
    /// Eyes closed and soon opened again.
    case blink
    /// Eyes have been closed for longer than in a blink.
    case eyesClosed = "eyes_closed"
    /// Eyes that had been closed for longer than in a blink are open again.
    case eyesOpen = "eyes_open"
    /// A mouth has been wide open for half a second.
    case mouthOpen = "mouth_open"
    /// A face has begun to look at the camera, or in the direction of the setting `look.direction`.
    case look
    /// A look at the camera, or in the set direction, ended.
    case lookAway = "look_away"
    /// A face came into a zone.
    case zoneEnter = "zone_enter"
    /// A face left a zone.
    case zoneLeave = "zone_leave"
    /// A person made a sign on purpose with eyes or head, such as a wink or a nod.
    case sign
    /// The number of present faces: a bare integer.
    case count
    /// The zones with the number of faces in each.
    case zones
    /// The totals since local midnight.
    case today
    /// The condition of the daemon and its camera; also the topic of the last will.
    case status
    /// Performance statistics: rates, times and counters, at the interval of the setting `stats.interval`.
    case stats
    /// Whether detection is on: `ON` or `OFF`.
    case detectState = "detect/state"
    /// The command `ON` or `OFF` to the daemon, which switches detection.
    case detectSet = "detect/set"
    /// The command to the daemon that sets what counts as a smile, with `level`, `hold` or both.
    case smileSet = "smile/set"
    /// The command to the daemon that switches a zone, with `zone` and `on`.
    case zoneSet = "zones/set"
    /// JPEG pictures, only with the setting `preview.enabled`.
    case previewJPEG = "preview/jpeg"

    /// Returns the topic's full name under a base such as `faces` or `porch/faces`.
    public func name(under base: String) -> String { base + "/" + rawValue }

    /// Finds the topic at the end of a full name such as `porch/faces/detect/state`; nil if no topic is there.
    public init?(name: String) {
        guard let topic = Self.allCases.first(where: { name.hasSuffix("/" + $0.rawValue) }) else { return nil }
        self = topic
    }

    /// Returns the base of a full name that ends in this topic: `porch/faces` for `porch/faces/detect/state`.
    public func base(of name: String) -> String { String(name.dropLast(rawValue.count + 1)) }

    /// The MQTT quality of service of messages on this topic.
    public var qos: Int { [.metadata, .stats, .previewJPEG].contains(self) ? 0 : 1 }

    /// Whether the broker retains the last message for later subscribers; never true for events.
    public var isRetained: Bool { [.metadata, .count, .zones, .today, .status, .detectState].contains(self) }

    /// The topics of commands, to which the daemon subscribes.
    public static let commands: [Topic] = [.detectSet, .smileSet, .zoneSet]

    /// Whether messages on this topic are events: not retained, but kept by the daemon until the broker has them.
    public var isEvent: Bool { eventKind != nil }

    /// The event topics, in the order in which the cases are declared.
    public static let events = allCases.filter(\.isEvent)

    /// The topic's kind of event with dummy values, such as `.lookAway(duration: 0)`; nil for a topic without events.
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

    /// The topics that the setting `publish` can leave out. `status`, `stats` and `detect/state` are always published.
    public static let selectable = allCases.filter { $0.isEvent || [.metadata, .count, .zones, .today].contains($0) }

    /// The topics published by default. They leave out the ends of states, such as `smile_end`, which `metadata` shows
    /// too, and events that few users need.
    public static let selected = selectable.filter {
        ![.smileEnd, .eyesOpen, .mouthOpen, .lookAway, .sign].contains($0)
    }

    /// Makes the topic on which an event is published.
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
