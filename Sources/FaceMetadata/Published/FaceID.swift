/// The identity of one face from its `enter` to its `leave`: identities only grow, and none is used again.
///
/// It distinguishes faces and does not identify people: a person who leaves and comes back gets a new one.
public struct FaceID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number, from 1.
    public var rawValue: Int

    /// Makes the identity with that number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Orders by the number behind it.
    public static func < (left: FaceID, right: FaceID) -> Bool { left.rawValue < right.rawValue }
}
