/// Decides which of a host's addresses an attempt to connect takes.
///
/// libmosquitto takes the first address where it does not block, and a host whose first address is out of reach (IPv6
/// behind a firewall, often) would never be reached by its others. So an attempt that no broker answered is followed by
/// one that takes another address, and what worked is taken again.
struct AddressRotation {
    /// A kind of address.
    enum Family: Equatable {
        case ipv4
        case ipv6
    }

    /// What an attempt takes.
    enum Choice: Equatable {
        /// The first address.
        case first
        /// The first address of a family.
        case only(Family)
        /// Each address in turn; blocks until one answers or the kernel gives them up.
        case each
    }

    private var turn = 0
    private var isAnswered = true

    /// Begins the next attempt.
    ///
    /// - Parameter families: the families of the host's addresses, in their order; only asked for when it matters.
    /// - Returns: what the attempt takes.
    mutating func next(families: () -> [Family]) -> Choice {
        if !isAnswered { turn += 1 }
        isAnswered = false
        guard turn > 0 else { return .first }
        let choices = Self.choices(among: families())
        turn %= choices.count
        return choices[turn]
    }

    /// Notes that a broker answered, be it with a refusal.
    mutating func answered() {
        isAnswered = true
    }

    /// What does not block comes first, and what blocks only where nothing else reaches all addresses.
    private static func choices(among families: [Family]) -> [Choice] {
        guard let first = families.first, families.count > 1 else { return [.first] }
        guard let other = families.first(where: { $0 != first }) else { return [.first, .each] }
        return families.count == 2 ? [.first, .only(other)] : [.first, .only(other), .each]
    }
}
