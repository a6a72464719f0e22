/// What became of the source and the options that a session was given last.
public struct ConfigurationStatus: Hashable, Sendable {
    /// 0 for those that the session was made with, one more for each `apply`, which returns it.
    public var number: Int
    /// What became of them.
    public var outcome: Outcome

    /// What can become of a source and options.
    public enum Outcome: Hashable, Sendable {
        /// They were not tried yet.
        case pending
        /// The session works with them. Those that came while it was paused, or that wait for a camera, may still be
        /// rejected when they are tried with it.
        case inEffect
        /// They do not work, for this reason; the session continues with those that did.
        case rejected(FaceSessionError)
    }
}
