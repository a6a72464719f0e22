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
