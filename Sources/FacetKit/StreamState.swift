/// The state of a session's source.
public enum StreamState: Hashable, Sendable {
    /// The source is being opened.
    case starting
    /// Frames come.
    case streaming(StreamDescription)
    /// No frames come; the session keeps trying.
    case lost(SourceFailure)
    /// The session is paused, and the camera closed.
    case paused
    /// The clip has ended, the session was stopped, or it failed.
    case ended
}
