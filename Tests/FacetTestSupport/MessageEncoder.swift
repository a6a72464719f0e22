public import FaceMessages

/// Makes messages of one run of a daemon in few words.
public struct MessageEncoder: Sendable {
    /// The camera's name and the run's id.
    public var origin: MessageOrigin

    /// Makes an encoder for a camera's name and a run's id.
    public init(camera: String, boot: String) { origin = MessageOrigin(camera: camera, boot: boot) }

    /// All faces.
    public func metadata(_ faces: [FaceObject], at stamp: FrameStamp) -> Message {
        DaemonMessage.metadata(MetadataMessage(origin: origin, stamp: stamp, faces: faces)).encoded
    }

    /// An event.
    public func event(_ event: FaceEvent, id: String, seq: Int, latency: Double?) -> Message {
        let message = EventMessage(origin: origin, id: id, seq: seq, event: event, faces: 1, latency: latency)
        return DaemonMessage.event(message).encoded
    }

    /// How many faces there are.
    public func count(_ faces: Int) -> Message { DaemonMessage.count(faces).encoded }

    /// The zones.
    public func zones(_ zones: [ZonesMessage.Zone]) -> Message {
        DaemonMessage.zones(ZonesMessage(origin: origin, zones: zones)).encoded
    }

    /// The totals of the day.
    public func today(_ totals: DayTotals) -> Message { DaemonMessage.today(totals, from: origin).encoded }

    /// Whether detection is on.
    public func detectState(_ isOn: Bool) -> Message { DaemonMessage.detectState(isOn).encoded }

    /// A picture.
    public func preview(_ jpeg: [UInt8], of stamp: FrameStamp) -> Message { Message(preview: jpeg, of: stamp) }

    /// The condition.
    public func status(_ status: DaemonStatus) -> Message { DaemonMessage.status(status, from: origin).encoded }

    /// The figures.
    public func stats(_ stats: DaemonStats) -> Message { DaemonMessage.stats(stats, from: origin).encoded }
}
