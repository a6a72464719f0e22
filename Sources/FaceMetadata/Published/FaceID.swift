/// The identity of one face from its `enter` to its `leave`: a number larger than all earlier ones, never reused. It
/// does not identify a person: one who leaves and comes back gets a new identity.
public struct FaceID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of the identity; that of the first face is 1.
    public var rawValue: Int

    /// Makes the identity with a number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Whether the left identity has the smaller number.
    public static func < (left: FaceID, right: FaceID) -> Bool { left.rawValue < right.rawValue }
}
