import Synchronization

/// Something that may happen so often at once, and then at a steady rate.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let rate: Double
    private var level: Double
    private var last = 0.0

    init(capacity: Double, rate: Double) {
        self.capacity = capacity
        self.rate = rate
        level = capacity
    }

    /// Whether it is full again at a time in seconds, and can be forgotten.
    func isFull(at seconds: Double) -> Bool { level(at: seconds) >= capacity }
    func permits(at seconds: Double) -> Bool { level(at: seconds) >= 1 }

    /// Counts that it happened, if it may; returns whether it may.
    mutating func spend(at seconds: Double) -> Bool {
        level = level(at: seconds)
        last = seconds
        guard level >= 1 else { return false }
        level -= 1
        return true
    }

    private func level(at seconds: Double) -> Double { min(capacity, level + rate * (seconds - last)) }
}

/// Limits how often a request of one kind is answered, by the time that passes.
final class RequestLimit: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let start = ContinuousClock.now

    init(capacity: Double, rate: Double) { bucket = Mutex(TokenBucket(capacity: capacity, rate: rate)) }

    /// Counts a request, if it may be answered; returns whether it may.
    func spend() -> Bool { bucket.withLock { $0.spend(at: start.duration(to: .now) / .seconds(1)) } }
}
