/// A point in wall-clock time, as nanoseconds since 1970-01-01T00:00:00Z without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The nanoseconds since the Unix epoch; negative before it.
    public var nanoseconds: Int64

    /// Makes the time `nanoseconds` after the Unix epoch.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the left time is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time `seconds` later, or earlier if they are negative. The result is clamped to the range of
    /// `Timestamp`; NaN counts as 0.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        guard !seconds.isNaN else { return self }
        let end: Int64 = seconds < 0 ? .min : .max
        guard let distance = Int64(exactly: (seconds * 1e9).rounded()) else { return Timestamp(nanoseconds: end) }
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(distance)
        return Timestamp(nanoseconds: isBeyond ? end : sum)
    }

    /// Returns the seconds from another time to this one; negative if this one is earlier.
    public func seconds(since other: Timestamp) -> Double {
        let (difference, isBeyond) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        // Over centuries, single nanoseconds do not matter.
        guard !isBeyond else { return Double(nanoseconds) / 1e9 - Double(other.nanoseconds) / 1e9 }
        return Double(difference) / 1e9
    }
}
