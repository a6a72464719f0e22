import Testing

@testable import MQTT

@Suite("Delivery queue")
struct DeliveryQueueTests {
    /// Takes the next event, and expects it to be the one of a number.
    private func expectNext(
        _ sequence: Int64?,
        of queue: inout DeliveryQueue,
        _ now: DeliveryClock.Moment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = queue.next(now: now)
        #expect(next?.event.sequence == sequence, sourceLocation: sourceLocation)
    }

    @Test("sends one event at a time under an age limit, in order")
    func oneAtATime() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10)))
        for sequence: Int64 in 1...3 { #expect(queue.append(.test(sequence), now: .at(0)) == nil) }
        expectNext(1, of: &queue, .at(1))
        expectNext(nil, of: &queue, .at(1))
        queue.remove(1)
        expectNext(2, of: &queue, .at(1))
    }

    @Test("sends several at once without an age limit")
    func severalAtOnce() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: nil))
        for sequence: Int64 in 1...20 { _ = queue.append(.test(sequence), now: .at(0)) }
        var sent: [Int64] = []
        while let next = queue.next(now: .at(0)) { sent.append(next.event.sequence) }
        #expect(sent == Array(1...16))
        queue.remove(5)
        expectNext(17, of: &queue, .at(0))
    }

    @Test("an event gets the rest of its life as its expiry")
    func remainingLife() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10)))
        _ = queue.append(.test(1), now: .at(0))
        let nextqueue = queue.next(now: .at(3))
        #expect(nextqueue?.remaining == .seconds(7))
        var unlimited = DeliveryQueue(rules: DeliveryRules(maximumAge: nil))
        _ = unlimited.append(.test(1), now: .at(0))
        let nextunlimited = unlimited.next(now: .at(3))
        #expect(nextunlimited?.remaining == nil)
    }

    @Test("what is too old is never sent again, and told apart by whether it ever was")
    func expiry() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10)))
        _ = queue.append(.test(1), now: .at(0))
        _ = queue.append(.test(2), now: .at(0))
        _ = queue.append(.test(3, at: 5), now: .at(0))
        expectNext(1, of: &queue, .at(0))
        #expect(queue.expire(now: .at(10)) == [.init(sequence: 2, reason: .expired)])
        queue.connectionLost()
        #expect(queue.expire(now: .at(10)) == [.init(sequence: 1, reason: .unconfirmed)])
        expectNext(3, of: &queue, .at(10))
    }

    @Test("an age that cannot be told counts as too old")
    func unknowableAge() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10)))
        _ = queue.append(.test(1, at: 100), now: .at(0))
        let afterReboot = DeliveryClock.Moment(wall: 50_000_000_000, uptime: 1, boot: "another boot")
        #expect(queue.expire(now: afterReboot) == [.init(sequence: 1, reason: .expired)])
    }

    @Test("an event that came in after the clock was read is young, not of unknown age")
    func readTooEarly() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10)))
        _ = queue.append(.test(1, at: 5), now: .at(0))
        #expect(queue.expire(now: .at(4)).isEmpty)
        let nextqueue = queue.next(now: .at(4))
        #expect(nextqueue?.remaining == .seconds(10))
    }

    @Test("after a loss everything unacknowledged goes out again in its old order")
    func resending() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: nil))
        for sequence: Int64 in 1...3 { _ = queue.append(.test(sequence), now: .at(0)) }
        for sequence: Int64 in 1...3 { expectNext(sequence, of: &queue, .at(0)) }
        queue.remove(2)
        queue.connectionLost()
        expectNext(1, of: &queue, .at(0))
        expectNext(3, of: &queue, .at(0))
    }

    @Test("full, the oldest that is not under way makes room")
    func overflow() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10), capacity: 2))
        _ = queue.append(.test(1), now: .at(0))
        _ = queue.append(.test(2), now: .at(0))
        expectNext(1, of: &queue, .at(0))
        #expect(queue.append(.test(3), now: .at(0)) == .init(sequence: 2, reason: .overflow))
        queue.remove(1)
        expectNext(3, of: &queue, .at(0))
    }

    @Test("an event that is under way makes room for no other and does not expire")
    func underWay() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10), capacity: 2))
        for sequence: Int64 in 1...2 { _ = queue.append(.test(sequence), now: .at(0)) }
        expectNext(1, of: &queue, .at(0))
        #expect(queue.append(.test(3), now: .at(0)) == .init(sequence: 2, reason: .overflow))
        #expect(queue.expire(now: .at(10)).map(\.sequence) == [3])
        queue.remove(1)
        #expect(queue.isEmpty)
    }

    @Test("events that are under way stay, even if they fill the queue, and count as nothing", arguments: [1, 16])
    func fullOfUnderWay(capacity: Int) {
        let rules = DeliveryRules(maximumAge: capacity == 1 ? .seconds(10) : nil, capacity: capacity)
        var queue = DeliveryQueue(rules: rules)
        for sequence in 1...Int64(capacity) {
            _ = queue.append(.test(sequence), now: .at(0))
            expectNext(sequence, of: &queue, .at(0))
        }
        #expect(queue.append(.test(100), now: .at(0)) == nil)
        #expect(queue.append(.test(101), now: .at(0)) == .init(sequence: 100, reason: .overflow))
        #expect(queue.count == capacity + 1)
        for sequence in 1...Int64(capacity) { queue.remove(sequence) }
        expectNext(101, of: &queue, .at(0))
    }

    @Test("what makes room and is too old counts as expired; what came late is found behind a younger one")
    func outOfOrder() {
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: .seconds(10), capacity: 2))
        _ = queue.append(.test(1, at: 5), now: .at(5))
        _ = queue.append(.test(2, at: 0), now: .at(5))
        #expect(queue.expire(now: .at(12)).isEmpty)
        expectNext(1, of: &queue, .at(12))
        #expect(queue.append(.test(3, at: 12), now: .at(12)) == .init(sequence: 2, reason: .expired))
        #expect(queue.count == 2)
    }

    @Test("no more than a batch expires at once")
    func batches() {
        var queue = DeliveryQueue(rules: DeliveryRules())
        for sequence: Int64 in 1...5 { _ = queue.append(.test(sequence), now: .at(0)) }
        #expect(queue.expire(now: .at(10), limit: 3).map(\.sequence) == [1, 2, 3])
        #expect(queue.expire(now: .at(10), limit: 3).map(\.sequence) == [4, 5])
    }

    @Test(
        "delivering looks at each event a few times, however many wait",
        .timeLimit(.minutes(1)),
        arguments: [nil, .seconds(10)] as [Duration?]
    )
    func linear(maximumAge: Duration?) {
        // Were all that wait looked at for each one that is delivered, this would take minutes.
        let count = 150_000
        var queue = DeliveryQueue(rules: DeliveryRules(maximumAge: maximumAge, capacity: count))
        for sequence in 1...Int64(count + 1000) { _ = queue.append(.test(sequence), now: .at(0)) }
        var rounds = 0
        while queue.count > count / 2 {
            _ = queue.expire(now: .at(1))
            var sent: [Int64] = []
            while let next = queue.next(now: .at(1)) { sent.append(next.event.sequence) }
            rounds += 1
            // Now and then one is refused for the moment, or the connection is lost.
            if rounds.isMultiple(of: 1000) { queue.postpone(sent[0]) }
            if rounds.isMultiple(of: 1001) {
                queue.connectionLost()
            } else {
                for sequence in sent.dropFirst() { queue.remove(sequence) }
            }
            queue.remove(sent[0])
        }
        queue.connectionLost()
        while !queue.expire(now: .at(20), limit: 32).isEmpty {}
        #expect(queue.isEmpty == (maximumAge != nil))
    }
}

extension StoredEvent {
    /// An event accepted `seconds` seconds after the test's beginning.
    static func test(_ sequence: Int64, at seconds: Int64 = 0) -> StoredEvent {
        StoredEvent(
            sequence: sequence,
            time: .at(seconds),
            message: MQTTMessage(topic: "faces/enter", text: "\(sequence)", qos: .atLeastOnce)
        )
    }
}

extension DeliveryClock.Moment {
    /// The moment `seconds` seconds after the test's beginning.
    static func at(_ seconds: Int64) -> Self {
        Self(wall: (1000 + seconds) * 1_000_000_000, uptime: seconds * 1_000_000_000, boot: "test")
    }
}
