/// The state of a session's source.
public enum StreamState: Hashable, Sendable {
    /// The source is being opened.
    case starting
    /// Frames arrive.
    case streaming(StreamDescription)
    /// No frames arrive. The session keeps trying.
    case lost(SourceFailure)
    /// The session is paused, and the camera closed.
    case paused
    /// The source has ended, or the session was stopped or failed.
    case ended
}
