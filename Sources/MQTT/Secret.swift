/// A password or the like, which no log, dump or string interpolation shows.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    /// Hides `value`.
    package init(_ value: String) {
        self.value = value
    }

    /// The hidden value, for the one place that has to hand it on.
    package func revealed() -> String { value }

    /// Never the value.
    package var description: String { "<redacted>" }
    /// Never the value.
    package var debugDescription: String { description }
    /// Nothing: a mirror would show the value.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
