import Testing

@testable import MQTT

@Suite("Connection state machine")
struct ConnectionStateMachineTests {
    private static let second: Int64 = 1_000_000_000
    private typealias Action = ConnectionStateMachine.Action

    /// Always waits as long as the jitter allows.
    private func machine(
        _ preference: BrokerSettings.ProtocolPreference = .automatic,
        willDelay: Duration = .zero,
        ownTopic: String? = nil
    ) -> ConnectionStateMachine {
        var settings = BrokerSettings(host: "broker", clientID: "camera")
        settings.selfCorrectingTopic = ownTopic
        settings.protocolPreference = preference
        settings.willDelay = willDelay
        return ConnectionStateMachine(settings: settings, jitter: \.upperBound)
    }

    @Test("connects, and reports it once")
    func connecting() {
        var machine = machine()
        #expect(machine.start(now: 0) == [.report(.connecting), .open(.version5, cleanStart: true)])
        #expect(machine.start(now: 0) == [])
        #expect(
            machine.accepted(sessionPresent: false, now: 5) == [.report(.connected(.version5, sessionPresent: false))]
        )
        #expect(machine.isConnected)
        #expect(machine.deadline == nil)
    }

    @Test("waits twice as long after each failure, up to the longest, and reports the same reason once")
    func backoff() {
        var machine = machine()
        var now: Int64 = 0
        var waits: [Double] = []
        var reports = 0
        _ = machine.start(now: now)
        for _ in 0..<8 {
            let actions = machine.lost(.unreachable("refused"), now: now)
            reports += actions.count
            let deadline = machine.deadline ?? 0
            waits.append(Double(deadline - now) / 1e9)
            #expect(machine.tick(now: deadline - 1) == [])
            now = deadline
            #expect(machine.tick(now: now) == [.open(.version5, cleanStart: true)])
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
        #expect(reports == 1)
    }

    @Test("jitter stays within half the wait, and never goes under the shortest")
    func jitter() {
        var settings = BrokerSettings(host: "broker", clientID: "camera")
        settings.reconnectDelay = .milliseconds(500) ... .seconds(30)
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
        _ = machine.accepted(sessionPresent: false, now: 0)
        _ = machine.lost(.ended("closed"), now: 100 * Self.second)
        #expect(machine.deadline == 101 * Self.second)
    }

    @Test("no answer within the time allowed is a failure")
    func openingTimeout() {
        var machine = machine()
        _ = machine.start(now: 0)
        #expect(machine.tick(now: 9 * Self.second) == [])
        let actions = machine.tick(now: 10 * Self.second)
        #expect(actions == [.abandon, .report(.disconnected("no answer within 10 s"))])
    }

    @Test("the broker's time to answer begins when the connection is on its way, however long that took")
    func slowOpening() {
        var machine = machine()
        _ = machine.start(now: 0)
        machine.opened(now: 130 * Self.second)
        #expect(machine.deadline == 140 * Self.second)
        #expect(machine.tick(now: 139 * Self.second) == [])
        #expect(machine.tick(now: 140 * Self.second).first == .abandon)
        let deadline = machine.deadline
        machine.opened(now: 141 * Self.second)
        #expect(machine.deadline == deadline, "an attempt that has failed already is not taken up again")
    }

    @Test(
        "a broker that refuses MQTT 5 is asked for 3.1.1 at once, and for 5 again after an outage",
        arguments: [1, 0x84]
    )
    func fallback(code: Int32) {
        var machine = machine()
        _ = machine.start(now: 0)
        #expect(machine.refused(Refusal(code: code), now: 0) == [.abandon, .open(.version311, cleanStart: true)])
        _ = machine.accepted(sessionPresent: false, now: 0)
        _ = machine.lost(.ended("closed"), now: 100 * Self.second)
        #expect(machine.tick(now: 200 * Self.second) == [.open(.version5, cleanStart: true)])
    }

    @Test("a broker that hangs up on MQTT 5 without a word is asked for 3.1.1 the time after next")
    func silentFallback() {
        var machine = machine()
        _ = machine.start(now: 0)
        var versions: [ConnectionState.ProtocolVersion] = []
        for _ in 0..<6 {
            _ = machine.lost(.ended("closed"), now: 0)
            if case .open(let version, _) = machine.tick(now: machine.deadline ?? 0).last { versions.append(version) }
        }
        #expect(versions == [.version5, .version311, .version311, .version5, .version5, .version311])
    }

    @Test("with a version asked for, no other is tried")
    func noFallback() {
        var machine = machine(.version5)
        _ = machine.start(now: 0)
        let actions = machine.refused(Refusal(code: 0x84), now: 0)
        #expect(actions.first == .abandon)
        guard case .report(.refused) = actions.last else {
            Issue.record("refused is to be reported, not \(actions)")
            return
        }
    }

    @Test("the reason of a refusal names the setting to look at")
    func refusals() {
        var machine = machine()
        _ = machine.start(now: 0)
        let actions = machine.refused(Refusal(code: 0x86), now: 0)
        #expect(
            actions == [
                .abandon,
                .report(.refused("wrong user name or password; check mqtt.username and mqtt.passwordFile")),
            ]
        )
        #expect(Refusal(code: 4).text == Refusal(code: 0x86).text)
        #expect(machine.deadline == Self.second, "and is retried")
    }

    @Test("a client that took our place makes us wait long, and longer each time")
    func takeover() {
        var machine = machine()
        var now: Int64 = 0
        var waits: [Int64] = []
        _ = machine.start(now: now)
        for _ in 0..<6 {
            _ = machine.accepted(sessionPresent: false, now: now)
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
            _ = machine.accepted(sessionPresent: false, now: 0)
            for case .report(.takenOver(let text)) in machine.lost(.ended("closed"), now: Self.second / 10) {
                texts[number] = text
            }
            waits.append(((machine.deadline ?? 0) - Self.second / 10) / Self.second)
            _ = machine.tick(now: machine.deadline ?? 0)
        }
        #expect(texts.keys.sorted() == Array(limit...7))
        #expect(texts[limit]?.contains("ended \(limit) connections in a row") == true)
        #expect(texts[limit]?.contains("'camera'") == true)
        #expect(waits == [1, 2, 4, 8, 16, 30, 30])
    }

    @Test("one connection that held makes short ones start anew")
    func shortLivedReset() {
        var machine = machine(ownTopic: "faces/status")
        var now: Int64 = 0
        _ = machine.start(now: now)
        for lifetime in [0, 0, 0, 0, 0, 3, 0] {
            _ = machine.accepted(sessionPresent: false, now: now)
            now += Int64(lifetime) * Self.second
            let actions = machine.lost(.ended("closed"), now: now)
            #expect(actions == [.report(.disconnected("closed"))])
            now = machine.deadline ?? 0
            _ = machine.tick(now: now)
        }
        _ = machine.accepted(sessionPresent: false, now: now)
        _ = machine.lost(.ended("closed"), now: now)
        #expect(machine.deadline == now + 2 * Self.second)
    }

    @Test("the session is kept only where a delayed will needs it, and never taken over from an earlier run")
    func sessions() {
        var plain = machine()
        _ = plain.start(now: 0)
        _ = plain.accepted(sessionPresent: false, now: 0)
        _ = plain.lost(.ended("closed"), now: 0)
        #expect(plain.tick(now: .max) == [.open(.version5, cleanStart: true)])
        var delayed = machine(willDelay: .seconds(5))
        #expect(delayed.start(now: 0).last == .open(.version5, cleanStart: true))
        _ = delayed.accepted(sessionPresent: false, now: 0)
        _ = delayed.lost(.ended("closed"), now: 0)
        #expect(delayed.tick(now: .max) == [.open(.version5, cleanStart: false)])
    }

    @Test("after stop nothing is tried any more")
    func stopping() {
        var machine = machine()
        _ = machine.start(now: 0)
        #expect(machine.stop() == [.abandon, .report(.stopped)])
        #expect(machine.stop() == [])
        #expect(machine.tick(now: .max) == [])
        #expect(machine.lost(.ended("closed"), now: 0) == [])
        #expect(machine.accepted(sessionPresent: false, now: 0) == [])
    }
}
