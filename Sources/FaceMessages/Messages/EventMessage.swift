/// One event of a face: the payload of the event topics, such as `faces/smile`.
public struct EventMessage: Hashable, Sendable, WireValue {
    /// The sender of the message.
    public var origin: MessageOrigin
    /// The event's ULID, which is the same in a duplicate delivery.
    public var id: String
    /// The number of the event among all events of its daemon. A gap shows that events were dropped.
    public var seq: Int
    /// The event. Of its face, only identity, bounds, pose and confidence are sent; in a `leave`, also the visit.
    public var event: FaceEvent
    /// The number of faces present after the event; nil from daemons before 0.5.
    public var faces: Int?
    /// The seconds from the capture of the event's frame to the encoding of this message; nil if unknown.
    public var latency: Double?

    /// Makes a message from its parts.
    public init(origin: MessageOrigin, id: String, seq: Int, event: FaceEvent, faces: Int? = nil, latency: Double?) {
        (self.origin, self.id, self.seq) = (origin, id, seq)
        (self.event, self.faces, self.latency) = (event, faces, latency)
    }

    /// Makes the message of an event whose frame was captured at `captured`, with a new id for the time `now`.
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
