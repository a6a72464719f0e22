/// How many frames there were, and what became of them.
public struct FrameCounts: Hashable, Sendable {
    /// Frames the source got hold of, damaged ones too.
    public var captured = 0
    /// Frames in which faces were looked for.
    public var analysed = 0
    /// Frames that were not, by reason.
    public var dropped: [FrameMailbox.Drop: Int] = [:]
    /// Frames whose own time could not be, and was corrected.
    public var retimed = 0
    /// Updates without news that a newer one replaced before the reader of `FaceSession.updates` took them.
    public var replacedUpdates = 0
    /// Updates that were dropped with what they said, because too many waited for their reader.
    public var droppedUpdates = 0

    /// Makes counts of 0.
    public init() {}
}
