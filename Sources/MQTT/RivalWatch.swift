/// Decides whether another client with our client id is there, by what it leaves on the topic that is ours alone.
///
/// Not every broker says why it closed a connection (mosquitto 2.0 does not), and a takeover looks like any other loss.
/// But whoever took our place also wrote its own state where ours was. A client that comes back and finds that twice
/// gives way, before it writes its own: the other one, thrown out by our return, then finds nothing strange and stays.
struct RivalWatch {
    /// Sightings further apart than this have nothing to do with each other.
    static let window: Int64 = 600_000_000_000

    private var last: Int64?

    /// Notes that somebody else's state was found on our return.
    ///
    /// Once is no proof: a broker that crashed may have come back with what an earlier run of ours left there.
    /// - Returns: whether to give way.
    mutating func sighted(now: Int64) -> Bool {
        defer { last = now }
        guard let last else { return false }
        return now - last < Self.window
    }
}
