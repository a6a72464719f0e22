import Foundation
import HTTPServing
import Synchronization

/// Slows down clients that guess tokens: after some wrong ones from an address, and after many from all, further ones are not
/// even compared for a while. Clients that are logged in do not notice.
struct AttemptLimit: Sendable {
    /// Addresses that are remembered; the one that guessed least lately makes room.
    private static let capacity = 1024

    private var all = TokenBucket(capacity: 100, rate: 20)
    private var addresses: [String: TokenBucket] = [:]

    /// Whether a token from an address is compared at a time in seconds.
    func permits(_ address: String, at seconds: Double) -> Bool {
        all.permits(at: seconds) && addresses[Self.key(address)]?.permits(at: seconds) ?? true
    }

    mutating func fail(_ address: String, at seconds: Double) {
        _ = all.take(at: seconds)
        let key = Self.key(address)
        if addresses[key] == nil, addresses.count >= Self.capacity {
            addresses = addresses.filter { !$0.value.isFull(at: seconds) }
            if addresses.count >= Self.capacity, let any = addresses.keys.first { addresses[any] = nil }
        }
        _ = addresses[key, default: TokenBucket(capacity: 5, rate: 0.5)].take(at: seconds)
    }

    /// Of an address of version 6 the network's half: a client has all of it.
    private static func key(_ address: String) -> String {
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return address }
        return withUnsafeBytes(of: &six) { $0.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") }
    }
}
