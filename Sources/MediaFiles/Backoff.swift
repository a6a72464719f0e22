/// How long to wait before the next try to reach a stream: twice as long each time, never in step with others.
struct Backoff {
    /// The shortest wait in seconds.
    static let shortest = 0.5
    /// The longest wait in seconds.
    static let longest = 30.0

    private var failures = 0

    /// The seconds to wait after one more failure: up to a quarter less or more than 0.5, 1, 2 … 30.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Double {
        let middle = min(Self.longest, Self.shortest * Double(1 << min(failures, 10)))
        failures += 1
        let jittered = middle * Double.random(in: 0.75...1.25, using: &generator)
        return min(Self.longest, max(Self.shortest, jittered))
    }

    /// Begins with the shortest wait again, after a success.
    mutating func reset() {
        failures = 0
    }
}
