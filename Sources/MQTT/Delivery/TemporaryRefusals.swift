/// Decides whether to repeat a refused message. A cluster that just lost a node refuses some messages for a second.
///
/// After such a refusal all sending pauses, so that messages keep their order. Repetitions are limited, because
/// RabbitMQ also refuses a message that reached all subscribers but one, and they would get each repetition.
struct TemporaryRefusals {
    /// The pause after a refusal, in nanoseconds.
    static let pause: Int64 = 500_000_000
    /// The number of refusals in a row on one topic at which a refusal becomes final.
    static let limit = 3

    /// The time until which nothing is sent, in monotonic nanoseconds.
    private(set) var pauseEnd: Int64 = 0
    /// The number of refusals in a row on each topic.
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
