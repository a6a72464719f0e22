/// The numbers of frames captured, analysed and dropped, and of updates that were never read.
public struct FrameCounts: Hashable, Sendable {
    /// The number of frames that the source captured, including damaged ones.
    public var captured = 0
    /// The number of frames that were analysed.
    public var analysed = 0
    /// The numbers of frames that were not analysed, by reason.
    public var dropped: [FrameMailbox.Drop: Int] = [:]
    /// The number of frames whose timestamps were impossible and were corrected.
    public var retimed = 0
    /// The number of updates without events or other news that were replaced by newer ones before they were read.
    public var replacedUpdates = 0
    /// The number of updates that were dropped with their events, because too many were waiting for their reader.
    public var droppedUpdates = 0

    /// Makes counts of 0.
    public init() {}
}
