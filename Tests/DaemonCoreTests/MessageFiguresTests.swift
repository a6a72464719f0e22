import FaceMessages
import Testing

@testable import DaemonCore
@testable import MQTT

@Suite("The figures about messages")
struct MessageFiguresTests {
    @Test("count each dropped message once: as expired, or by any other reason")
    func dropped() {
        var counters = DeliveryCounters()
        counters.dropped = [.expired: 4, .unconfirmed: 2, .rejected: 1]
        let figures = DaemonStats.Messages(counters, Outbox().condition)
        #expect(figures.expired == 4 && figures.dropped == ["unconfirmed": 2, "rejected": 1])
    }
}
