import Testing

@testable import MQTT

@Suite("Connection state machine")
struct ConnectionStateMachineTests {
    private static let second: Int64 = 1_000_000_000
    private typealias Action = ConnectionStateMachine.Action

    /// Always waits as long as the jitter allows.
    private func machine(
        _ preference: ConnectionState.ProtocolVersion? = nil,
        brokers: Int = 1,
        willDelay: Duration = .zero,
        ownTopic: String? = nil
    ) -> ConnectionStateMachine {
        var settings = BrokerSettings(host: "broker", clientID: "camera")
        settings.brokers = (0..<brokers).map { .init(host: "broker\($0)", port: 1883) }
        settings.selfCorrectingTopic = ownTopic
        settings.version = preference
        settings.willDelay = willDelay
        settings.reconnectDelay = .milliseconds(500) ... .seconds(8)
        return ConnectionStateMachine(settings: settings, jitter: \.upperBound)
    }

    private static func open(
        _ version: ConnectionState.ProtocolVersion = .version5,
        cleanStart: Bool = true,
        broker: Int = 0
    ) -> Action {
        .open(.init(broker: broker, version: version, cleanStart: cleanStart))
    }

    private static func connected(_ version: ConnectionState.ProtocolVersion = .version5, broker: Int = 0) -> Action {
        .report(.connected(version, broker: "broker\(broker):1883"))
    }

    @Test("connects, and reports it once")
    func connecting() {
        var machine = machine()
        #expect(machine.start(now: 0) == [.report(.connecting), Self.open()])
        #expect(machine.start(now: 0) == [])
        machine.reached(.asking, now: 3)
        #expect(machine.accepted(now: 5) == [Self.connected()])
        #expect(machine.isConnected)
        #expect(machine.deadline == nil)
    }

    @Test("waits twice as long after each round, up to the longest, and reports the same reason once")
    func backoff() {
        var machine = machine()
        var now: Int64 = 0
        var waits: [Double] = []
        var reports = 0
        _ = machine.start(now: now)
        for _ in 0..<6 {
            let actions = machine.lost(.unreachable("refused"), now: now)
            reports += actions.count - 1
            let deadline = machine.deadline ?? 0
            waits.append(Double(deadline - now) / 1e9)
            #expect(machine.tick(now: deadline - 1) == [])
            now = deadline
            #expect(machine.tick(now: now) == [Self.open()])
        }
        #expect(waits == [1, 2, 4, 8, 8, 8])
        #expect(reports == 1)
    }

    @Test("jitter stays within half the wait, and never goes under the shortest")
    func jitter() {
        let settings = BrokerSettings(host: "broker", clientID: "camera")
        for _ in 0..<200 {
            var machine = ConnectionStateMachine(settings: settings)
            _ = machine.start(now: 0)
            _ = machine.lost(.unreachable("refused"), now: 0)
            #expect((500_000_000...1_000_000_000).contains(machine.deadline ?? 0))
        }
    }

    @Test("a connection that held makes the next wait short again")
    func backoffReset() {
        var machine = machine()
        _ = machine.start(now: 0)
        for _ in 0..<6 {
            _ = machine.lost(.unreachable("refused"), now: 0)
            _ = machine.tick(now: machine.deadline ?? 0)
        }
        machine.reached(.asking, now: 0)
        _ = machine.accepted(now: 0)
        _ = machine.lost(.ended("closed"), now: 100 * Self.second)
        #expect(machine.deadline == 101 * Self.second)
    }

    @Test("brokers are tried in their order without a wait, and all reasons are reported together")
    func list() {
        var machine = machine(brokers: 3)
        #expect(machine.start(now: 0).last == Self.open())
        #expect(machine.lost(.unreachable("a"), now: 0) == [.abandon, Self.open(broker: 1)])
        #expect(machine.lost(.unreachable("b", isRefusal: true), now: 0) == [.abandon, Self.open(broker: 2)])
        #expect(machine.lost(.unreachable("c"), now: 0) == [.abandon, .report(.disconnected("a; b; c"))])
        #expect(machine.deadline == Self.second)
        #expect(machine.tick(now: Self.second) == [Self.open()])
        _ = machine.lost(.unreachable("a"), now: 0)
        machine.reached(.asking, now: 0)
        #expect(machine.accepted(now: 0) == [Self.connected(broker: 1)])
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        #expect(machine.tick(now: .max) == [Self.open(broker: 1)], "the one that served is asked first")
        #expect(machine.lost(.unreachable("b"), now: 0) == [.abandon, Self.open(broker: 0)])
    }

    @Test("a broker of a list that does not answer costs less than three seconds")
    func dialTimeout() {
        var machine = machine(brokers: 2)
        _ = machine.start(now: 0)
        #expect((machine.deadline ?? .max) < 3 * Self.second)
        #expect(machine.tick(now: 3 * Self.second, unanswered: "10.0.0.1") == [.abandon, Self.open(broker: 1)])
        let actions = machine.tick(now: 6 * Self.second)
        #expect(
            actions.last
                == .report(
                    .disconnected(
                        "broker0:1883: no answer from 10.0.0.1 within 2.5 s; broker1:1883: no answer within 2.5 s"
                    )
                )
        )
    }

    @Test("an unanswered request is repeated at once with the other version, then after a wait with the first again")
    func unanswered() {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.reached(.asking, now: Self.second)
        #expect(machine.tick(now: 4 * Self.second - 1) == [])
        #expect(machine.tick(now: 4 * Self.second) == [.abandon, Self.open(.version311)])
        machine.reached(.asking, now: 4 * Self.second)
        #expect(machine.tick(now: 7 * Self.second).first == .abandon)
        let deadline = machine.deadline
        #expect(deadline == 7 * Self.second, "what was waited for the answers counts")
        machine.reached(.asking, now: 7 * Self.second)
        #expect(machine.deadline == deadline, "an attempt that has failed is not taken up again")
        #expect(machine.tick(now: 7 * Self.second) == [Self.open()])
        machine.reached(.asking, now: 0)
        #expect(machine.deadline == 6 * Self.second, "a slow broker gets more time")
    }

    /// A machine that asks to resume its session after a loss, and since when.
    private func resuming() -> (machine: ConnectionStateMachine, begin: Int64) {
        var machine = machine(willDelay: .seconds(5))
        machine.connect()
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        let begin = machine.deadline ?? 0
        #expect(machine.tick(now: begin) == [Self.open(cleanStart: false)])
        machine.reached(.asking, now: begin)
        return (machine, begin)
    }

    @Test("after a loss a request gets two seconds, and the session is given up with the first")
    func timeoutAfterLoss() {
        let (resumed, begin) = resuming()
        var machine = resumed
        #expect(machine.deadline == begin + 2 * Self.second)
        #expect(machine.tick(now: begin + 2 * Self.second) == [.abandon, Self.open()])
        machine.reached(.asking, now: begin + 2 * Self.second)
        #expect(machine.tick(now: begin + 4 * Self.second).first == .abandon)
        #expect(machine.tick(now: .max) == [Self.open()])
    }

    /// When requests are sent after a loss if none is answered, and in which version, as text.
    private func requests(after loss: Int64, of machine: inout ConnectionStateMachine, count: Int) -> [String] {
        var now = loss
        var requests: [String] = []
        _ = machine.lost(.ended("closed"), now: loss)
        while requests.count < count {
            now = machine.deadline ?? .max
            guard case .open(let attempt)? = machine.tick(now: now).last else { continue }
            machine.reached(.asking, now: now)
            requests.append("\((now - loss) / 1_000_000) ms MQTT \(attempt.version.rawValue)")
        }
        return requests
    }

    @Test("after a loss a request is sent anew every two seconds, then more rarely, then in the other version too")
    func silentAfterLoss() {
        var machine = machine()
        machine.connect()
        let times = [1000, 3000, 5000, 7000, 9000, 11000].map { "\($0) ms MQTT 5" } + ["13200 ms MQTT 3.1.1"]
        #expect(requests(after: 9 * Self.second, of: &machine, count: 7) == times)
    }

    @Test("a broker of a list that has never answered is asked in the other version at once, also after a loss")
    func silentSecond() {
        var machine = machine(brokers: 2)
        machine.connect()
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        _ = machine.tick(now: 10 * Self.second)
        #expect(machine.lost(.unreachable("refused"), now: 10 * Self.second).last == Self.open(broker: 1))
        machine.reached(.asking, now: 10 * Self.second)
        #expect(machine.tick(now: 12 * Self.second) == [.abandon, Self.open(.version311, broker: 1)])
    }

    @Test("TLS gets the time that a first answer gets")
    func slowTLS() {
        var machine = machine()
        machine.connect()
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        _ = machine.tick(now: 10 * Self.second)
        machine.reached(.securing, now: 10 * Self.second)
        #expect(machine.deadline == 13 * Self.second)
        machine.reached(.asking, now: 12 * Self.second)
        #expect(machine.deadline == 14 * Self.second)
    }

    @Test("what a cluster's node does not answer is asked of the next node in the same version, and is no refusal")
    func unansweredByNode() {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.reached(.asking, now: 0)
        #expect(machine.refused(Refusal(code: 1), now: 0).last == Self.open(.version311))
        machine.reached(.asking, now: 0)
        _ = machine.accepted(now: 0)
        let requests = requests(after: 9 * Self.second, of: &machine, count: 7)
        #expect(requests.prefix(6).allSatisfy { $0.hasSuffix("MQTT 3.1.1") })
        #expect(requests.last == "13200 ms MQTT 5")
        let reason = "broker0:1883: no answer to the connection request within 2.2 s"
        #expect(machine.refused(Refusal(code: 1), now: 20 * Self.second) == [.abandon, .report(.disconnected(reason))])
    }

    @Test("a broker that closes a request of MQTT 5 is asked for 3.1.1 at once, which is remembered over a loss")
    func silentFallback() {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.reached(.asking, now: 0)
        #expect(machine.lost(.ended("closed"), now: 0) == [.abandon, Self.open(.version311)])
        machine.reached(.asking, now: 0)
        #expect(machine.accepted(now: 0) == [Self.connected(.version311)])
        _ = machine.lost(.ended("closed"), now: 100 * Self.second)
        #expect(machine.tick(now: .max) == [Self.open(.version311)])
        #expect(machine.lost(.ended("closed"), now: 0) == [.abandon, Self.open(.version5)])
    }

    @Test("a version that was accepted once is not given up for one that was only tried")
    func bestVersion() {
        var machine = machine()
        machine.connect()
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        _ = machine.tick(now: .max)
        #expect(machine.lost(.ended("closed"), now: 0).last == Self.open(.version311))
        machine.reached(.asking, now: 0)
        _ = machine.accepted(now: 0)
        _ = machine.lost(.ended("closed"), now: 9 * Self.second)
        #expect(machine.tick(now: .max) == [Self.open(.version5)])
    }

    @Test("a broker that refuses MQTT 5 is asked for 3.1.1 at once", arguments: [1, 0x84])
    func fallback(code: Int32) {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.reached(.asking, now: 0)
        #expect(machine.refused(Refusal(code: code), now: 0) == [.abandon, Self.open(.version311)])
    }

    @Test("with a version asked for, no other is tried")
    func noFallback() {
        var machine = machine(.version5)
        _ = machine.start(now: 0)
        machine.reached(.asking, now: 0)
        let actions = machine.refused(Refusal(code: 0x84), now: 0)
        #expect(actions.first == .abandon)
        guard case .report(.refused) = actions.last else {
            Issue.record("refused is to be reported, not \(actions)")
            return
        }
        _ = machine.tick(now: .max)
        #expect(machine.lost(.ended("closed"), now: 0).last == .report(.disconnected("closed")))
    }

    @Test("the session is resumed only where a delayed will needs it, and never that of an earlier run")
    func sessions() {
        var plain = machine()
        plain.connect()
        _ = plain.lost(.ended("closed"), now: 0)
        #expect(plain.tick(now: .max) == [Self.open()])
        var delayed = machine(willDelay: .seconds(5))
        #expect(delayed.start(now: 0).last == Self.open())
        delayed.reached(.asking, now: 0)
        _ = delayed.accepted(now: 0)
        _ = delayed.lost(.ended("closed"), now: 0)
        #expect(delayed.tick(now: .max) == [Self.open(cleanStart: false)])
    }

    @Test("a session that cannot be resumed is given up at once", arguments: [nil, 0x83, 0x88] as [Int32?])
    func lostSession(code: Int32?) {
        let (resumed, begin) = resuming()
        var machine = resumed
        let actions =
            code.map { machine.refused(Refusal(code: $0), now: begin) }
            ?? machine.tick(now: machine.deadline ?? 0)
        #expect(actions == [.abandon, Self.open()])
    }

    @Test("the reason of a refusal comes with the program's advice, and is retried")
    func refusals() {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.reached(.asking, now: 0)
        let actions = machine.refused(Refusal(code: 0x86), now: 0)
        let advice = BrokerSettings.Advice()
        let text = "broker0:1883: wrong user name or password; \(advice.credentials)"
        #expect(actions == [.abandon, .report(.refused(text))])
        #expect(Refusal(code: 4).text(advice) == Refusal(code: 0x86).text(advice))
        #expect(machine.deadline == Self.second)
    }

    @Test("a client that took our place makes us wait long, and longer each time")
    func takeover() {
        var machine = machine()
        var now: Int64 = 0
        var waits: [Int64] = []
        _ = machine.start(now: now)
        for _ in 0..<6 {
            machine.reached(.asking, now: now)
            _ = machine.accepted(now: now)
            let actions = machine.lost(.takenOver, now: now + 5 * Self.second)
            guard case .report(.takenOver(let text)) = actions.last else {
                Issue.record("a takeover is to be reported, not \(actions)")
                return
            }
            #expect(text.contains("camera"))
            waits.append(((machine.deadline ?? 0) - now) / Self.second - 5)
            now = machine.deadline ?? 0
            _ = machine.tick(now: now)
        }
        #expect(waits == [60, 120, 240, 480, 600, 600])
    }

    @Test(
        "connections that end at once, over and over, grow rarer and are put down to another client",
        arguments: [(nil, 3), ("faces/status", 6)] as [(String?, Int)]
    )
    func suspectedTakeover(ownTopic: String?, limit: Int) {
        var machine = machine(.version311, ownTopic: ownTopic)
        var texts: [Int: String] = [:]
        var waits: [Int64] = []
        _ = machine.start(now: 0)
        for number in 1...7 {
            machine.reached(.asking, now: 0)
            _ = machine.accepted(now: 0)
            for case .report(.takenOver(let text)) in machine.lost(.ended("closed"), now: Self.second / 10) {
                texts[number] = text
            }
            waits.append(((machine.deadline ?? 0) - Self.second / 10) / Self.second)
            _ = machine.tick(now: machine.deadline ?? 0)
        }
        #expect(texts.keys.sorted() == Array(limit...7))
        #expect(texts[limit]?.contains("ended \(limit) connections in a row") == true)
        #expect(texts[limit]?.contains("'camera'") == true)
        #expect(waits.last == 30)
    }

    @Test("packets that no broker sends, over and over, are put down to the server and not to another client")
    func malformed() {
        var machine = machine(.version311)
        var texts: [String] = []
        _ = machine.start(now: 0)
        for _ in 1...4 {
            machine.reached(.asking, now: 0)
            _ = machine.accepted(now: 0)
            for case .report(let state) in machine.lost(.malformed("broker: a bad packet"), now: Self.second / 10) {
                texts.append("\(state)")
            }
            _ = machine.tick(now: machine.deadline ?? 0)
        }
        #expect(texts.first == "disconnected: broker: a bad packet")
        #expect(texts.last?.hasPrefix("refused: broker: a bad packet, in 4 connections in a row") == true, "\(texts)")
        #expect(!texts.contains { $0.contains("client") })
    }

    @Test("one connection that held makes short ones start anew")
    func shortLivedReset() {
        var machine = machine(ownTopic: "faces/status")
        var now: Int64 = 0
        _ = machine.start(now: now)
        for lifetime in [0, 0, 0, 0, 0, 3, 0] {
            machine.reached(.asking, now: now)
            _ = machine.accepted(now: now)
            now += Int64(lifetime) * Self.second
            let actions = machine.lost(.ended("closed"), now: now)
            #expect(actions == [.abandon, .report(.disconnected("closed"))])
            now = machine.deadline ?? 0
            _ = machine.tick(now: now)
        }
        machine.reached(.asking, now: now)
        _ = machine.accepted(now: now)
        _ = machine.lost(.ended("closed"), now: now)
        #expect(machine.deadline == now + 2 * Self.second)
    }

    @Test("after stop nothing is tried any more")
    func stopping() {
        var machine = machine()
        _ = machine.start(now: 0)
        #expect(machine.stop() == [.abandon, .report(.stopped)])
        #expect(machine.stop() == [])
        #expect(machine.tick(now: .max) == [])
        #expect(machine.lost(.ended("closed"), now: 0) == [])
        #expect(machine.accepted(now: 0) == [])
    }
}

extension ConnectionStateMachine {
    /// Starts, and connects to the first broker at once.
    fileprivate mutating func connect() {
        _ = start(now: 0)
        reached(.asking, now: 0)
        _ = accepted(now: 0)
    }
}
