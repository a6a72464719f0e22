import FacetTestSupport
import Foundation
import Logging
import MQTT
import Synchronization
import Testing

/// The full length takes a minute.
private enum Effort {
    static let daemonRuns = TestEffort.amount(3, soak: 10)
    static let eventsPerRun = TestEffort.amount(40, soak: 100)
    static let brokerKills = TestEffort.amount(4, soak: 20)
    static let pace = Duration.milliseconds(TestEffort.amount(10, soak: 20))
}

@Suite("Endurance", .serialized, .enabled(if: MosquittoBroker.isInstalled), .timeLimit(.minutes(5)))
struct EnduranceTests {
    @Test("what a killed daemon had accepted is delivered by the next run, in order")
    func killedDaemon() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("outbox.sqlite")
        let nowhere = try LoopbackPort.free()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, nowhere = nowhere as Int] in
            // A test's time limit does not reach the processes it starts.
            alarm(240)
            let store = try Outbox(path: path, logger: .silent)
            let connection = try BrokerConnection(testing: .test(port: nowhere), store: store)
            try connection.start()
            for _ in 1...5 {
                let sequence = store.nextSequence()
                connection.publish(event: MQTTMessage(topic: "faces/enter", text: "\(sequence)"), sequence: sequence)
            }
            store.set([7], for: "open faces")
            // A number that was taken for an event, which was then not published.
            _ = store.nextSequence()
            kill(getpid(), SIGKILL)
        }
        let broker = try await MosquittoBroker()
        let observer = try await Observer(of: broker)
        let store = try Outbox(path: path, logger: .silent)
        #expect(store.value(for: "open faces") == [7])
        #expect(store.nextSequence() == 6)
        let connection = try BrokerConnection(testing: .test(port: broker.port), store: store)
        try connection.start()
        #expect(await observer.next(5).map(\.text) == ["1", "2", "3", "4", "5"])
        try await eventually { connection.counters.acknowledgedEvents == 5 }
        #expect(await connection.stop().unsentEvents == 0)
    }

    @Test("however often broker and daemon are killed, every event arrives, in sequence without a gap")
    func killings() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("outbox.sqlite")
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port)
        let observer = try await Observer(of: broker)
        let events = Effort.eventsPerRun
        let isDone = Mutex(false)
        let port = gate.port
        async let daemons: Void = {
            for _ in 1...Effort.daemonRuns {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, port = port as Int, events = events as Int] in
                    // A test's time limit does not reach the processes it starts.
                    alarm(240)
                    let store = try Outbox(path: path, logger: .silent)
                    let connection = try BrokerConnection(
                        testing: .test(port: port),
                        rules: DeliveryRules(maximumAge: nil),
                        store: store
                    )
                    try connection.start()
                    for _ in 1...events {
                        let sequence = store.nextSequence()
                        let message = MQTTMessage(topic: "faces/enter", text: "\(sequence)")
                        connection.publish(event: message, sequence: sequence)
                        try await Task.sleep(for: Effort.pace)
                    }
                    kill(getpid(), SIGKILL)
                }
            }
            isDone.withLock { $0 = true }
        }()
        var kills = 0
        while kills < Effort.brokerKills || !isDone.withLock(\.self) {
            gate.accept(false)
            await broker.kill()
            try await broker.start()
            await observer.ready()
            // The daemon comes back only when the observer sees everything again.
            gate.accept(true)
            kills += 1
            try await Task.sleep(for: Effort.pace * 40)
        }
        await daemons
        let store = try Outbox(path: path, logger: .silent)
        let last = try BrokerConnection(
            testing: .test(port: broker.port),
            rules: DeliveryRules(maximumAge: nil),
            store: store
        )
        try last.start()
        let total = Effort.daemonRuns * events
        var arrived: [Int] = []
        var seen: Set<Int> = []
        while seen.count < total {
            let number = try #require(Int(await observer.next().text))
            arrived.append(number)
            seen.insert(number)
        }
        #expect(seen == Set(1...total))
        #expect(store.nextSequence() == Int64(total + 1))
        // In order except for repetitions: the first arrivals of all numbers ascend.
        var first: Set<Int> = []
        let firsts = arrived.filter { first.insert($0).inserted }
        #expect(firsts == firsts.sorted())
        print("endurance: \(total) events, \(arrived.count - total) duplicates, \(kills) broker kills")
        _ = await last.stop()
    }

    @Test("with an age limit nothing stale arrives, and every event is accounted for")
    func staleness() async throws {
        let broker = try await MosquittoBroker()
        let gate = try TCPProxy(to: broker.port)
        let observer = try await Observer(of: broker)
        let time = MovableClock()
        let connection = try BrokerConnection(settings: .test(port: gate.port), clock: time.clock, logger: .silent)
        try connection.start()
        let epoch = Mutex(0)
        let published = Mutex(0)
        let produced = Effort.daemonRuns * Effort.eventsPerRun
        async let producer: Void = {
            for number in 1...produced {
                // Read and published together, so that no event belongs to an outage it was not published in.
                epoch.withLock { epoch in
                    connection.publish(event: MQTTMessage(topic: "faces/enter", text: "\(epoch) \(number)"))
                }
                published.withLock { $0 = number }
                try await Task.sleep(for: Effort.pace)
            }
        }()
        while published.withLock(\.self) < produced {
            try await Task.sleep(for: Effort.pace * 30)
            gate.accept(false)
            await broker.kill()
            let before = published.withLock(\.self)
            try await eventually { published.withLock(\.self) >= min(before + 3, produced) }
            epoch.withLock { epoch in
                epoch += 1
                time.advance(seconds: 11)
            }
            try await broker.start()
            await observer.ready()
            observer.mark()
            gate.accept(true)
        }
        try await producer
        try await eventually { connection.counters.queuedEvents == 0 }
        let counters = connection.counters
        #expect(counters.acknowledgedEvents + counters.tooOld == produced)
        #expect(counters.dropped[.expired, default: 0] > 0)
        #expect(counters.acknowledgedEvents > 0)
        // Whatever came after the n-th return of the broker was published after the n-th move of the clock.
        var returns = 0
        var arrived = 0
        connection.publish(event: MQTTMessage(topic: "faces/leave", text: "end"))
        while case let message = await observer.next(), message.text != "end" {
            if message.topic == Observer.mark {
                returns += 1
                continue
            }
            let origin = try #require(Int(message.text.prefix { $0 != " " }))
            #expect(origin >= returns, "\(message.text) came after return \(returns)")
            arrived += 1
        }
        #expect(arrived >= counters.acknowledgedEvents)
        print("staleness: \(produced) events, \(arrived) arrived, \(counters)")
        _ = await connection.stop()
    }
}
