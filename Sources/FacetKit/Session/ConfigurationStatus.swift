/// The outcome of a session's newest configuration, which is the source and the options that it was last given.
public struct ConfigurationStatus: Hashable, Sendable {
    /// The number of the configuration: 0 for that of `FaceSession.init`, otherwise the one that `apply` returned.
    public var number: Int
    /// Whether the session uses the configuration.
    public var outcome: Outcome

    /// A possible outcome of a configuration.
    public enum Outcome: Hashable, Sendable {
        /// The session has not tried the configuration yet.
        case pending
        /// The session uses the configuration. A session that is paused or waits for a camera may still reject it.
        case inEffect
        /// The configuration does not work, for this reason. The session continues with the last one that did.
        case rejected(FaceSessionError)
    }
}
