/// The waits between attempts, which double with each failure.
package struct Backoff {
    /// The shortest and the longest wait, in seconds.
    let waits: ClosedRange<Double>
    private var failures = 0

    package init(_ waits: ClosedRange<Double>) { self.waits = waits }

    /// Returns the seconds to wait after another failure. A random `factor` keeps many programs from retrying together.
    package mutating func next(times factor: Double = 1) -> Double {
        let wait = min(waits.upperBound, waits.lowerBound * Double(1 << min(failures, 10)))
        failures += 1
        return min(waits.upperBound, max(waits.lowerBound, wait * factor))
    }

    package mutating func reset() { failures = 0 }
}
