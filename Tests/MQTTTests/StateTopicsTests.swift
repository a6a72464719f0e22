import Testing

@testable import MQTT

@Suite("State topics")
struct StateTopicsTests {
    private func message(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic: topic, text: text, qos: .atLeastOnce, retain: true)
    }

    /// Takes all that may be sent now; the broker answers each at once but that of one topic.
    private func drain(_ board: inout StateTopics, unanswered: String? = nil) -> [String] {
        var sent: [String] = []
        while let next = board.nextDue() {
            sent.append("\(next.topic)=\(String(decoding: next.payload, as: UTF8.self))")
            if next.topic != unanswered { board.settle(next.topic) }
        }
        return sent
    }

    @Test("keeps the newest of each topic, in the order in which they were set")
    func coalescing() {
        var board = StateTopics()
        board.set(message("status", "online"))
        board.set(message("count", "1"))
        board.set(message("status", "lost"))
        #expect(drain(&board) == ["count=1", "status=lost"])
        board.set(message("status", "online"))
        #expect(drain(&board) == ["status=online"])
    }

    @Test("a status that explains what was set after it goes out before it, even if it is no longer the newest")
    func explanation() {
        var board = StateTopics(ownTopic: "status")
        board.set(message("status", "starting"))
        board.set(message("count", "0"))
        board.set(message("status", "streaming"))
        board.set(message("status", "lost"))
        #expect(drain(&board) == ["status=starting", "count=0", "status=lost"])
        board.connectionLost()
        #expect(drain(&board) == ["count=0", "status=lost"], "what was sent and is no longer true is not sent again")
        #expect(board.unsettledTopics.isEmpty)
    }

    @Test("everything goes out again on a new connection")
    func renewal() {
        var board = StateTopics()
        board.set(message("status", "online"))
        board.set(message("count", "1"))
        _ = drain(&board)
        board.connectionLost()
        #expect(drain(&board) == ["status=online", "count=1"])
        board.set(message("status", "lost"))
        board.set(message("count", "0"))
        _ = drain(&board)
        board.connectionLost()
        #expect(drain(&board) == ["status=lost", "count=0"])
        board.set(message("status", "streaming"))
        board.connectionLost()
        #expect(drain(&board) == ["count=0", "status=streaming"], "as it happened: nobody, then looking")
    }

    @Test("nothing overtakes a status that waits for the acknowledgement of the one before")
    func order() {
        var board = StateTopics(ownTopic: "status")
        board.set(message("status", "streaming"))
        board.set(message("count", "1"))
        _ = drain(&board, unanswered: "status")
        board.set(message("status", "lost"))
        board.set(message("count", "0"))
        #expect(drain(&board).isEmpty)
        board.settle("status")
        #expect(drain(&board) == ["status=lost", "count=0"])
    }

    @Test("a status that is superseded while the one before it is unanswered goes out once that is answered")
    func supersededUnderWay() {
        var board = StateTopics(ownTopic: "status")
        board.set(message("status", "starting"))
        _ = drain(&board, unanswered: "status")
        board.set(message("status", "streaming"))
        board.set(message("count", "1"))
        board.set(message("status", "lost"))
        #expect(drain(&board).isEmpty)
        board.settle("status")
        #expect(drain(&board) == ["status=streaming", "count=1", "status=lost"])
    }

    @Test("a topic waits for its acknowledgement, then sends only the newest")
    func backPressure() {
        var board = StateTopics()
        board.set(message("count", "1"))
        _ = drain(&board, unanswered: "count")
        board.set(message("count", "2"))
        board.set(message("count", "3"))
        #expect(drain(&board).isEmpty)
        #expect(board.unsettledTopics == ["count"])
        board.settle("count")
        #expect(drain(&board) == ["count=3"])
        #expect(board.unsettledTopics.isEmpty)
    }

    @Test("a late will on the own topic is foreign, an echo of ours is not")
    func foreignMessages() {
        var board = StateTopics(ownTopic: "status")
        board.set(message("status", "online"))
        _ = drain(&board)
        board.set(message("status", "lost"))
        _ = drain(&board)
        #expect(!board.isForeign(MQTTMessage(topic: "status", text: "online")))
        #expect(!board.isForeign(MQTTMessage(topic: "count", text: "offline")))
        #expect(board.isForeign(MQTTMessage(topic: "status", text: "offline")))
        board.renewOwn()
        #expect(drain(&board) == ["status=lost"])
    }
}

@Suite("Self-correction")
struct SelfCorrectionTests {
    @Test("corrects at once, then ever more slowly when somebody answers back")
    func pace() {
        var correction = SelfCorrection()
        let second: Int64 = 1_000_000_000
        #expect(correction.noticed(now: 0) == false)
        #expect(correction.isDue(now: 0) == true)
        var now: Int64 = 0
        var waits: [Int64] = []
        var warnings = 0
        for _ in 0..<8 {
            if correction.noticed(now: now) { warnings += 1 }
            let due = correction.due ?? 0
            waits.append((due - now) / second)
            #expect(correction.isDue(now: due - 1) == false)
            now = due
            #expect(correction.isDue(now: now) == true)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
        #expect(warnings == 1)
        #expect(correction.noticed(now: now + 61 * second) == false)
        #expect(correction.isDue(now: now + 61 * second) == true, "after a quiet minute the next one is at once again")
    }
}
