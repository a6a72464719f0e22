/// An event of a source; the events come in order.
public enum SourceEvent: Sendable {
    /// Frames are about to come, in this form.
    case streaming(StreamDescription)
    case frame(Frame)
    /// No frames come until further notice; the source keeps trying.
    case lost(SourceFailure)
    /// Nothing comes any more.
    case ended(End)

    /// The reason why a source ended.
    public enum End: Hashable, Sendable {
        /// A clip came to its end.
        case finished
        /// `stop()` was called.
        case stopped
        /// The source cannot go on; its frames so far are valid.
        case failed(SourceFailure)
    }
}
