/// The outcome of the source and the options that a session was given last.
public struct ConfigurationStatus: Hashable, Sendable {
    /// The number of the source and the options: 0 at first, then the number that `apply` returned.
    public var number: Int
    /// The outcome.
    public var outcome: Outcome

    /// A possible outcome of a source and options.
    public enum Outcome: Hashable, Sendable {
        /// The session has not tried them yet.
        case pending
        /// The session works with them. Those that came while it was paused, or that wait for a camera, may still be
        /// rejected when they are tried with it.
        case inEffect
        /// They do not work, for this reason; the session continues with those that did.
        case rejected(FaceSessionError)
    }
}
