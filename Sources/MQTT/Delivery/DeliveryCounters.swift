/// The numbers of messages since the client was made, by what happened to them. While no event is being processed, each
/// one that was published, or found in the store at the start, counts as one of `acknowledgedEvents` or `queuedEvents`,
/// or as dropped: `expired`, `unconfirmed`, `overflow` or `rejected`; other messages can be `rejected` too.
package struct DeliveryCounters: Hashable, Sendable {
    package enum Drop: String, Hashable, Sendable, CaseIterable {
        /// An event became too old before it was sent for the first time.
        case expired
        /// An event was sent but never acknowledged, and became too old to be sent again.
        case unconfirmed
        /// The oldest event was dropped to make room for a new one.
        case overflow
        /// An event or a transient message was refused for good, by the broker or the protocol. States are only logged.
        case rejected
        /// A transient message was dropped because there was no connection.
        case offline
        /// A transient message was dropped because the network was still busy with earlier messages.
        case congested
        /// A received message was dropped before it was read, to make room for a newer one.
        case incomingOverflow = "incoming_overflow"
        /// A received message was too large, or its topic was not valid UTF-8.
        case incomingRefused = "incoming_refused"
    }

    package var acknowledgedEvents = 0
    /// The number of events that the broker has not acknowledged yet.
    package var queuedEvents = 0
    /// The number of messages of all kinds handed to the network, including repetitions.
    package var sent = 0
    /// The number of times that a broker accepted the connection.
    package var connections = 0
    package var dropped: [Drop: Int] = [:]
    /// The number of events accepted while the store could not protect them from a crash.
    package var unsafeEvents = 0

    /// The number of events dropped as too old, whether they had been sent or not.
    package var tooOld: Int { dropped[.expired, default: 0] + dropped[.unconfirmed, default: 0] }

    mutating func count(_ drop: Drop, _ number: Int = 1) {
        guard number > 0 else { return }
        dropped[drop, default: 0] += number
    }
}

/// The result of stopping a client: what was not delivered.
package struct StopReport: Hashable, Sendable {
    /// Whether the broker got DISCONNECT; if not, it publishes the will.
    package var didDisconnect: Bool
    /// The number of events that are not acknowledged. A store in a file keeps them for the next run.
    package var unsentEvents: Int
    /// The topics whose newest state the broker has not confirmed.
    package var unsentTopics: [String]
}
