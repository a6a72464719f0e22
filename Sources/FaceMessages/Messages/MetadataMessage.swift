/// All current faces at one moment.
public struct MetadataMessage: Hashable, Sendable, WireValue {
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

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try stamp.fields(&wire)
        try wire.field("faces", &faces, .list(of: .blank))
    }
}
