import FaceMessages
import MQTT

/// What to say to the person at the terminal about the source of messages: each trouble once, nothing while all is well.
struct Notices {
    /// Topics whose messages were reported as unreadable; all others are passed over from then on.
    private static let capacity = 64

    /// What helps where there is no broker.
    static let brokerRemedy = "start it (sudo systemctl start mosquitto), or name it with --mqtt"

    private let address: String
    private let waitsForBroker: Bool
    private var hasTrouble = false
    private var wasConnected = false
    private var unreadable: Set<String> = []

    /// How the connection is, for a screen that always shows it.
    private(set) var connection: String

    /// Makes notices about a source.
    ///
    /// - Parameters:
    ///   - address: the broker's host and port.
    ///   - waitsForBroker: whether a broker that was never there is waited for. One that was comes back; one that never was
    ///     is a wrong address or not started.
    init(address: String, waitsForBroker: Bool = true) {
        self.address = address
        connection = "connecting to \(address)"
        self.waitsForBroker = waitsForBroker
    }

    /// What to say about what happened; nil if nothing.
    ///
    /// - Throws: `CommandFailure` if it does not go on, as with a wrong password.
    mutating func note(_ occurrence: Subscriber.Occurrence) throws -> String? {
        let text = try text(of: occurrence)
        if case .connection(.connected) = occurrence { connection = address } else { connection = text ?? connection }
        return text
    }

    private mutating func text(of occurrence: Subscriber.Occurrence) throws -> String? {
        switch occurrence {
        case .connection(.connecting), .connection(.stopped): return nil
        case .connection(.connected):
            defer { (hasTrouble, wasConnected) = (false, true) }
            return hasTrouble ? "connected to \(address) again" : nil
        case .connection(.disconnected(let reason)):
            guard waitsForBroker || wasConnected else {
                throw CommandFailure("cannot reach the broker: \(reason)", remedy: Self.brokerRemedy)
            }
            hasTrouble = true
            return "no connection, trying again: \(reason)"
        case .connection(.refused(let reason)), .connection(.takenOver(let reason)):
            throw CommandFailure("cannot use the broker: \(reason)")
        case .failed(let failure): throw failure
        case .message(let message):
            let name = message.topic.name(under: message.base)
            guard case .malformed(let error) = message.content, unreadable.count < Self.capacity,
                unreadable.insert(name).inserted
            else { return nil }
            return "\(name): \(error) (said once for each topic)"
        }
    }
}
