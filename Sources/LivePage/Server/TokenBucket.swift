/// Limits how often something may happen: `capacity` times at once, and then `rate` times a second.
struct TokenBucket: Sendable {
    let capacity: Double
    let rate: Double
    /// The number of uses still counted against the capacity at the time `last`.
    private(set) var used = 0.0
    /// The time of the last use, in seconds.
    private(set) var last = 0.0

    func permits(at seconds: Double) -> Bool { used(at: seconds) <= capacity - 1 }

    /// Counts a use if it is allowed. Returns whether it is.
    mutating func spend(at seconds: Double) -> Bool {
        guard permits(at: seconds) else { return false }
        used = used(at: seconds) + 1
        last = seconds
        return true
    }

    private func used(at seconds: Double) -> Double { max(0, used - rate * (seconds - last)) }
}

/// Limits how often requests of one kind are answered.
final class RequestLimit: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let start = ContinuousClock.now

    init(capacity: Double, rate: Double) { bucket = Mutex(TokenBucket(capacity: capacity, rate: rate)) }

    /// Counts a request if it may be answered. Returns whether it may.
    func spend() -> Bool { bucket.withLock { $0.spend(at: start.duration(to: .now) / .seconds(1)) } }
}
