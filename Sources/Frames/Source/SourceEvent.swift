/// What a source reports: the stream's description, a frame, a loss of the stream, or the source's end.
public enum SourceEvent: Sendable {
    /// Frames of the stream with this description will follow.
    case streaming(StreamDescription)
    case frame(Frame)
    /// No frames come for now. The source keeps trying.
    case lost(SourceFailure)
    /// The source has ended. No further event comes.
    case ended(End)

    /// The reason why a source ended.
    public enum End: Hashable, Sendable {
        /// The end of a clip was reached.
        case finished
        /// `stop()` was called.
        case stopped
        /// The source cannot go on. Frames delivered before are valid.
        case failed(SourceFailure)
    }
}
