/// How the source of a session is.
public enum StreamState: Hashable, Sendable {
    /// It is being opened.
    case starting
    /// Frames come.
    case streaming(StreamDescription)
    /// No frames; the session keeps trying.
    case lost(SourceFailure)
    /// The session is paused, and the camera closed.
    case paused
    /// The clip has ended, the session was stopped, or it failed.
    case ended
}
