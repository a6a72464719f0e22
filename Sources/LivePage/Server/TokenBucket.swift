import Synchronization

/// Something that may happen so often at once, and then at a steady rate.
struct TokenBucket: Sendable {
    let capacity: Double
    /// How often a second.
    let rate: Double
    /// How much of the capacity was used when it happened last, and when that was, in seconds.
    private(set) var used = 0.0
    private(set) var last = 0.0

    func permits(at seconds: Double) -> Bool { used(at: seconds) <= capacity - 1 }

    /// Counts that it happened, if it may; returns whether it may.
    mutating func spend(at seconds: Double) -> Bool {
        guard permits(at: seconds) else { return false }
        used = used(at: seconds) + 1
        last = seconds
        return true
    }

    private func used(at seconds: Double) -> Double { max(0, used - rate * (seconds - last)) }
}

/// Limits how often a request of one kind is answered, by the time that passes.
final class RequestLimit: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let start = ContinuousClock.now

    init(capacity: Double, rate: Double) { bucket = Mutex(TokenBucket(capacity: capacity, rate: rate)) }

    /// Counts a request, if it may be answered; returns whether it may.
    func spend() -> Bool { bucket.withLock { $0.spend(at: start.duration(to: .now) / .seconds(1)) } }
}
