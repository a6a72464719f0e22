/// The sender of a message.
public struct MessageOrigin: Hashable, Sendable {
    /// The camera's name.
    public var camera: String
    /// The id of the daemon's run, new at each start.
    public var boot: String

    /// Makes a sender from a camera's name and the id of a run.
    public init(camera: String, boot: String) { (self.camera, self.boot) = (camera, boot) }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try wire.field("camera", &camera, .name)
        try wire.field("boot", &boot, .name)
    }
}
