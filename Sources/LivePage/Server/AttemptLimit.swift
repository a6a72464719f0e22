/// Slows down clients that guess tokens. After some wrong tokens from one network (an IPv4 address or an IPv6 /64), or
/// many from all networks, further tokens are not checked for a while. A network that gave the right token before is
/// not slowed down by the wrong tokens of others.
struct AttemptLimit: Sendable {
    /// The maximum number of networks to remember. Beyond it, the one whose last wrong token is oldest is forgotten.
    private static let capacity = 1024

    private var all = TokenBucket(capacity: 100, rate: 20)
    private var addresses: [String: TokenBucket] = [:]
    /// The networks from which the right token came, the most recent last.
    private var trusted: [String] = []

    /// Whether a token that comes from the IP address `address` at the time `seconds` is to be checked.
    func permits(_ address: String, at seconds: Double) -> Bool {
        let key = clientNetwork(of: address)
        return (all.permits(at: seconds) || trusted.contains(key)) && addresses[key]?.permits(at: seconds) ?? true
    }

    mutating func succeed(_ address: String) {
        let key = clientNetwork(of: address)
        guard trusted.last != key else { return }
        trusted = trusted.filter { $0 != key }.suffix(Self.capacity - 1) + [key]
    }

    mutating func fail(_ address: String, at seconds: Double) {
        _ = all.spend(at: seconds)
        let key = clientNetwork(of: address)
        if addresses[key] == nil, addresses.count >= Self.capacity,
            let idle = addresses.min(by: { $0.value.last < $1.value.last })
        {
            addresses[idle.key] = nil
        }
        _ = addresses[key, default: TokenBucket(capacity: 5, rate: 0.5)].spend(at: seconds)
    }
}
