import MQTT

/// Reports changes of the connection to the person at the terminal, each once, and nothing while all is well.
struct ConnectionNotices {
    private let address: String
    private var hasTrouble = false

    /// Makes notices about a broker by its host and port.
    init(address: String) {
        self.address = address
    }

    /// What to say about a change; nil if nothing.
    ///
    /// - Throws: `CommandFailure` if only a person can fix it, as with a wrong password.
    mutating func note(_ state: ConnectionState) throws -> String? {
        switch state {
        case .connecting, .stopped: return nil
        case .connected:
            defer { hasTrouble = false }
            return hasTrouble ? "connected to \(address) again" : nil
        case .disconnected(let reason):
            hasTrouble = true
            return "no connection, trying again: \(reason)"
        case .refused(let reason), .takenOver(let reason):
            throw CommandFailure("cannot use the broker: \(reason)")
        }
    }
}

/// Reports to the person at the terminal that messages are dropped, once when it begins and once when it is over.
struct DropNotices {
    private var reported = 0
    private var isDropping = false

    /// What to say, given how many messages were dropped so far and whether the rush is over; nil if nothing.
    mutating func note(_ dropped: Int, isOver: Bool) -> String? {
        if isDropping, isOver {
            isDropping = false
            defer { reported = dropped }
            return "\(dropped - reported) messages were dropped"
        }
        guard dropped > reported, !isDropping else { return nil }
        isDropping = !isOver
        guard isOver else { return "messages come faster than they are taken: the oldest are dropped" }
        defer { reported = dropped }
        return "\(dropped - reported) messages came too fast and were dropped"
    }
}
