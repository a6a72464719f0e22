/// Decides whether a refused message is sent again: a cluster refuses some in the second after it has lost a node.
///
/// All sending pauses then, so that messages keep their order. RabbitMQ also refuses a message that all subscribers got
/// but one whose node is away: it is repeated a few times only, as the others get each repetition.
struct TemporaryRefusals {
    /// The wait after a refusal, in nanoseconds.
    static let pause: Int64 = 500_000_000
    /// The number of refusals in a row on a topic after which each one is final.
    static let limit = 3

    /// The time until which nothing is sent, by the timers' clock.
    private(set) var pauseEnd: Int64 = 0
    /// The number of messages in a row that were refused on each topic.
    private var counts: [String: Int] = [:]

    /// Takes the broker's answer to a message; returns whether to send the message again.
    mutating func isTemporary(_ reason: Int32, of topic: String, now: Int64) -> Bool {
        // OASIS MQTT 5.0 §3.4.2.1: unspecified error, implementation specific error, quota exceeded.
        guard [0x80, 0x83, 0x97].contains(reason) else {
            if reason < 0x80 { counts[topic] = nil }
            return false
        }
        counts[topic, default: 0] += 1
        guard counts[topic, default: 0] < Self.limit else { return false }
        pauseEnd = now + Self.pause
        return true
    }
}
