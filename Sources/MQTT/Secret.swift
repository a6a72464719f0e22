/// A password or the like, which no log, dump or string interpolation shows.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    /// Hides `value`.
    public init(_ value: String) {
        self.value = value
    }

    /// The hidden value, for the one place that has to hand it on.
    public func revealed() -> String { value }

    /// Never the value.
    public var description: String { "<redacted>" }
    /// Never the value.
    public var debugDescription: String { description }
    /// Nothing: a mirror would show the value.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
