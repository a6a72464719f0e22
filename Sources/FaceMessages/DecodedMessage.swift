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

/// A command that sets what counts as a smile; what it leaves out stays.
public struct SmileChange: Hashable, Sendable {
    /// The level above which a clear smile begins.
    public var level: Double?
    /// For how many seconds a smile must last before it is reported.
    public var hold: Double?

    /// Makes a command from what it sets.
    public init(level: Double? = nil, hold: Double? = nil) { (self.level, self.hold) = (level, hold) }

    /// Carries the command out.
    public func apply(to settings: inout SmileSettings) {
        settings.level = level ?? settings.level
        settings.hold = hold ?? settings.hold
    }
}

/// The sender of a message.
public struct MessageOrigin: Hashable, Sendable {
    /// The camera's name.
    public var camera: String
    /// The id of the daemon's run.
    public var boot: String

    /// Makes an origin from a camera's name and the id of a run.
    public init(camera: String, boot: String) { (self.camera, self.boot) = (camera, boot) }
}

/// All current faces at one moment.
public struct MetadataMessage: Hashable, Sendable {
    /// Its sender.
    public var origin: MessageOrigin
    /// The frame it describes.
    public var stamp: FrameStamp
    /// The faces, all of them.
    public var faces: [FaceObject]

    /// Makes a message from its origin, its frame and the faces in it.
    public init(origin: MessageOrigin, stamp: FrameStamp, faces: [FaceObject]) {
        (self.origin, self.stamp, self.faces) = (origin, stamp, faces)
    }
}

/// Something that happened to a face.
public struct EventMessage: Hashable, Sendable {
    /// Its sender.
    public var origin: MessageOrigin
    /// The event's ULID, the same in a duplicate.
    public var id: String
    /// The event's number among all of its daemon.
    public var seq: Int
    /// What happened. Its face holds what events carry: identity, bounds, pose and confidence.
    public var event: FaceEvent
    /// Seconds from the event's time to the sending, if known.
    public var latency: Double?

    /// Makes a message from its parts.
    public init(origin: MessageOrigin, id: String, seq: Int, event: FaceEvent, latency: Double?) {
        (self.origin, self.id, self.seq) = (origin, id, seq)
        (self.event, self.latency) = (event, latency)
    }
}

/// The zones, and how many faces are in each.
public struct ZonesMessage: Hashable, Sendable {
    /// A zone.
    public struct Zone: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// How many faces are in it.
        public var faces: Int
        /// The corners of its area, in the order along the border.
        public var area: [NormalizedPoint]

        /// Makes a zone from its name, the faces in it and its corners.
        public init(name: String, faces: Int, area: [NormalizedPoint]) {
            (self.name, self.faces, self.area) = (name, faces, area)
        }
    }

    /// Its sender.
    public var origin: MessageOrigin
    /// The zones.
    public var zones: [Zone]

    /// Makes a message from its origin and the zones.
    public init(origin: MessageOrigin, zones: [Zone]) { (self.origin, self.zones) = (origin, zones) }
}

/// Why a payload is not a message of this contract.
public enum MessageDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload is not the JSON that its topic promises.
    case malformed(topic: Topic, reason: String)
    /// The broker kept the message although its topic has none to keep: it may be of any age.
    case retained(topic: Topic)
    /// The payload follows a version of the contract that this program does not know.
    case unknownSchema(Int)

    /// What is wrong, and what to do about it.
    public var description: String {
        switch self {
        case .malformed(let topic, let reason):
            "the message on \(topic.rawValue) cannot be read: \(reason); does another program publish there?"
        case .retained(let topic):
            "the message on \(topic.rawValue) was kept by the broker and may be of any age, so it is passed over; "
                + "remove it with mosquitto_pub -r -n"
        case .unknownSchema(let version):
            "the message has schema \(version), this program knows schema \(schemaVersion): "
                + "use the same version of facet and facetd"
        }
    }
}
