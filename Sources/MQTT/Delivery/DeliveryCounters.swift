/// The numbers of messages by what happened to them since the connection was made.
///
/// Once all is quiet, `acceptedEvents` is `acknowledgedEvents` plus `queuedEvents` plus the dropped events: `expired`,
/// `unconfirmed`, `overflow`, `rejected`.
package struct DeliveryCounters: Hashable, Sendable {
    package enum Drop: String, Hashable, Sendable, CaseIterable {
        /// An event grew too old before it could be sent; it was never handed to the broker.
        case expired
        /// An event was sent, its acknowledgement never came, and it grew too old to be sent again.
        case unconfirmed
        /// The oldest event made room for a new one.
        case overflow
        /// The broker or the protocol refused it for good: too large, not allowed, malformed.
        case rejected
        /// A transient message came while there was no connection.
        case offline
        /// A transient message came while the network was still busy with earlier ones.
        case congested
        /// A received message made room for a newer one before it was read.
        case incomingOverflow = "incoming_overflow"
        /// A received message was too large, or its topic was not text.
        case incomingRefused = "incoming_refused"
    }

    /// Events taken by `publish(event:sequence:)` and events found in the store at the start.
    package var acceptedEvents = 0
    package var acknowledgedEvents = 0
    /// Events that wait, or were sent and are not acknowledged.
    package var queuedEvents = 0
    /// Messages of all kinds handed to the network, repetitions too.
    package var sent = 0
    package var received = 0
    /// The number of times that the broker accepted the connection.
    package var connections = 0
    package var dropped: [Drop: Int] = [:]
    /// Events that were accepted while the store could not protect them from a crash.
    package var unsafeEvents = 0

    /// Events that grew too old, whether they were ever tried or not.
    package var expired: Int { dropped[.expired, default: 0] + dropped[.unconfirmed, default: 0] }

    /// Counts received messages that are not passed on.
    mutating func countRefused(_ number: Int) {
        received += number
        count(.incomingRefused, number)
    }

    mutating func count(_ drop: Drop, _ number: Int = 1) {
        guard number > 0 else { return }
        dropped[drop, default: 0] += number
    }
}

/// The messages that were left when a connection was stopped.
package struct StopReport: Hashable, Sendable {
    /// Whether the broker got DISCONNECT; if not, it publishes the will.
    package var didDisconnect: Bool
    /// Number of events that are not acknowledged. They stay in the store, for the next run if it survives this one.
    package var unsentEvents: Int
    /// The topics of states whose newest message the broker does not have.
    package var unsentTopics: [String]
}
