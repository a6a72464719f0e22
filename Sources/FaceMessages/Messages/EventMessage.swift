/// Something that happened to a face.
public struct EventMessage: Hashable, Sendable, WireValue {
    /// Its sender.
    public var origin: MessageOrigin
    /// The event's ULID, the same in a duplicate.
    public var id: String
    /// The number of the event among all events of its daemon.
    public var seq: Int
    /// What happened. Of its face, messages carry identity, bounds, pose and confidence.
    public var event: FaceEvent
    /// The number of faces after the event; nil from a daemon before 0.5.
    public var faces: Int?
    /// The seconds from the event's time to its sending; nil if unknown.
    public var latency: Double?

    /// Makes a message from its parts.
    public init(origin: MessageOrigin, id: String, seq: Int, event: FaceEvent, faces: Int? = nil, latency: Double?) {
        (self.origin, self.id, self.seq) = (origin, id, seq)
        (self.event, self.faces, self.latency) = (event, faces, latency)
    }

    /// Makes the message of an event that is published at `now`, under a new id; its frame was captured at `captured`.
    package init(
        _ origin: MessageOrigin,
        _ seq: Int,
        _ event: FaceEvent,
        faces: Int,
        _ captured: ContinuousClock.Instant?,
        at now: Timestamp
    ) {
        let latency = captured.map { (ContinuousClock.now - $0) / .seconds(1) }
        self.init(origin: origin, id: ULID.make(at: now), seq: seq, event: event, faces: faces, latency: latency)
    }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        var type: String? = Topic(event.kind).rawValue
        try wire.optional("event_type", &type, .name)
        try wire.field("id", &id, .name)
        try wire.field("seq", &seq, .counter)
        try origin.fields(&wire)
        try event.face.identity(&wire)
        try wire.optional("faces", &faces, .counter)
        try event.stamp.fields(&wire)
        try event.face.commonFields(&wire)
        try event.kind.fields(&wire)
        if case .leave = event.kind { try wire.optional("visit", &event.face.visit, .object(Visit())) }
        try wire.optional("latencyMs", &latency, .milliseconds(decimals: 1))
    }
}
