import System

/// Slows down clients that guess tokens: after some wrong ones from an address, and after many from all, further ones are not
/// even compared for a while. Clients that are logged in do not notice.
struct AttemptLimit: Sendable {
    /// Addresses that are remembered; the one that guessed least lately makes room.
    private static let capacity = 1024

    private var all = TokenBucket(capacity: 100, rate: 20)
    private var addresses: [String: TokenBucket] = [:]

    /// Whether a token from an address is compared at a time in seconds.
    func permits(_ address: String, at seconds: Double) -> Bool {
        all.permits(at: seconds) && addresses[clientNetwork(of: address)]?.permits(at: seconds) ?? true
    }

    mutating func fail(_ address: String, at seconds: Double) {
        _ = all.spend(at: seconds)
        let key = clientNetwork(of: address)
        if addresses[key] == nil, addresses.count >= Self.capacity {
            addresses = addresses.filter { !$0.value.isFull(at: seconds) }
            if addresses.count >= Self.capacity, let any = addresses.keys.first { addresses[any] = nil }
        }
        _ = addresses[key, default: TokenBucket(capacity: 5, rate: 0.5)].spend(at: seconds)
    }
}
