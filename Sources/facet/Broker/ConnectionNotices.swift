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
