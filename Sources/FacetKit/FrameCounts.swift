/// The number of frames, and of those analysed and dropped.
public struct FrameCounts: Hashable, Sendable {
    /// Frames that the source captured, damaged ones too.
    public var captured = 0
    /// Frames that were analysed.
    public var analysed = 0
    /// Frames that were not analysed, by reason.
    public var dropped: [FrameMailbox.Drop: Int] = [:]
    /// Frames whose own time was impossible and was corrected.
    public var retimed = 0
    /// Updates without news that were replaced by newer ones before the reader of `FaceSession.updates` took them.
    public var replacedUpdates = 0
    /// Updates that were dropped with their events, because too many waited for their reader.
    public var droppedUpdates = 0

    /// Makes counts of 0.
    public init() {}
}
