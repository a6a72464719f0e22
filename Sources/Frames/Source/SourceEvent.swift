/// The events of a source, in order.
public enum SourceEvent: Sendable {
    /// Frames are about to come, in this form.
    case streaming(StreamDescription)
    case frame(Frame)
    /// No frames until further notice; the source goes on trying.
    case lost(SourceFailure)
    /// Nothing comes any more.
    case ended(End)

    /// Why a source ended.
    public enum End: Hashable, Sendable {
        /// A clip came to its end.
        case finished
        /// `stop()` was called.
        case stopped
        /// The source cannot go on; its frames so far are valid.
        case failed(SourceFailure)
    }
}
