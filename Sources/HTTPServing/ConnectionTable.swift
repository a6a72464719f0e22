import System

/// The open connections, with the rules for closing some. A connection has `patience` seconds for each request and its
/// answer. A stream has no limit. When there are too many connections, the client with the most of them, not counting
/// streams, loses its oldest one.
struct ConnectionTable {
    struct Entry {
        let address: String
        var since: Double
        var isStream = false
        /// Whether this server has shut the socket down, so that libmicrohttpd will close the connection.
        var isClosing = false
        var isWaiting: Bool { !isStream && !isClosing }
    }

    let limit: Int
    let patience: Double
    private(set) var entries: [Int32: Entry] = [:]

    var isFull: Bool { entries.count >= limit }

    mutating func open(_ socket: Int32, from address: String, at seconds: Double) {
        entries[socket] = Entry(address: address, since: seconds)
    }

    /// Restarts a connection's time limit when its answer is sent and it waits for the next request.
    mutating func restart(_ socket: Int32, at seconds: Double) {
        entries[socket]?.since = seconds
        entries[socket]?.isStream = false
    }

    mutating func stream(_ socket: Int32) { entries[socket]?.isStream = true }
    mutating func remove(_ socket: Int32) { entries[socket] = nil }
    func address(of socket: Int32) -> String? { entries[socket]?.address }

    /// Marks the connections that are overdue at the given time as closing, and returns them. Returns each only once.
    mutating func closeOverdue(at seconds: Double) -> [Int32] {
        let overdue = entries.filter { $0.value.isWaiting && seconds - $0.value.since >= patience }.map(\.key)
        for socket in overdue { entries[socket]?.isClosing = true }
        return overdue
    }

    /// Marks the connection that must make room for a new one as closing, and returns it; nil if only streams are left.
    mutating func closeOldest() -> Int32? {
        let waiting = entries.filter(\.value.isWaiting).ofBusiest { clientNetwork(of: $0.value.address) }
        guard let oldest = waiting.min(by: { $0.value.since < $1.value.since }) else { return nil }
        entries[oldest.key]?.isClosing = true
        return oldest.key
    }

    /// Returns the seconds until the next connection is overdue; nil if no connection has a deadline.
    func pause(at seconds: Double) -> Double? {
        entries.values.lazy.filter(\.isWaiting).map(\.since).min().map { max(0, $0 + patience - seconds) }
    }
}

extension Sequence {
    /// Returns the elements whose client has the most of them. If several clients tie, returns the elements of each.
    package func ofBusiest<Client: Hashable>(_ client: (Element) -> Client) -> [Element] {
        let counts = reduce(into: [:]) { $0[client($1), default: 0] += 1 }
        let most = counts.values.max()
        return filter { counts[client($0)] == most }
    }
}
