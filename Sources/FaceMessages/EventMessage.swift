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
