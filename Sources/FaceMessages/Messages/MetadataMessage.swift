/// All present faces at one moment: the payload of `faces/metadata`.
public struct MetadataMessage: Hashable, Sendable, WireValue {
    /// The sender of the message.
    public var origin: MessageOrigin
    /// The frame in which the faces were seen.
    public var stamp: FrameStamp
    /// All faces that are present.
    public var faces: [FaceObject]

    /// Makes a message from its sender, its frame and the present faces.
    public init(origin: MessageOrigin, stamp: FrameStamp, faces: [FaceObject]) {
        (self.origin, self.stamp, self.faces) = (origin, stamp, faces)
    }

    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure) {
        try origin.fields(&wire)
        try stamp.fields(&wire)
        try wire.field("faces", &faces, .list(of: .blank))
    }
}
