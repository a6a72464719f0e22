import Foundation

/// How hard tests try: as hard as a commit needs, or, where FACET_SOAK is set as by `deploy/test --soak`, as hard as
/// they can.
public enum TestEffort {
    /// Whether this is a soak.
    public static let isFull = ProcessInfo.processInfo.environment["FACET_SOAK"] != nil

    /// The amount for a commit, or the one for a soak.
    public static func amount<Amount>(_ commit: Amount, soak: Amount) -> Amount { isFull ? soak : commit }
}
