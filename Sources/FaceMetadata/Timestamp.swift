/// A point in wall-clock time: nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since the Unix epoch; negative before it.
    public var nanoseconds: Int64

    /// Makes the time that many nanoseconds after the Unix epoch.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Orders by the number behind it.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time a number of seconds later; earlier for a negative number.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        Timestamp(nanoseconds: nanoseconds + Int64((seconds * 1e9).rounded()))
    }

    /// Seconds from another time to this one; negative if this one is earlier.
    public func seconds(since other: Timestamp) -> Double {
        Double(nanoseconds - other.nanoseconds) / 1e9
    }
}
