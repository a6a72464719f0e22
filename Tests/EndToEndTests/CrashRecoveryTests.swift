import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Logging
import MQTT
import Testing

@Suite(
    "After a kill -9",
    .serialized,
    .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup"),
    .timeLimit(.minutes(5))
)
struct CrashRecoveryTests {
    private let directory: TemporaryDirectory
    private let broker: MosquittoBroker

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await MosquittoBroker()
    }

    private func start(_ options: String...) async throws -> ChildProcess {
        let source = ["--source", "/usr/local/share/facet/astronaut.png", "--loop", "--print"]
        return try await BuiltProgram.start(
            "facetd",
            source + ["--mqtt", "mqtt://127.0.0.1:\(broker.port)"] + options,
            environment: ["XDG_STATE_HOME": directory.path]
        )
    }

    /// What a subscriber has got, each event once.
    private struct Record {
        var events: [String: EventMessage] = [:]
        var today: DayTotals?
        /// The number of `stats` of the last run in which no event was waiting.
        var idleStats = 0

        /// Takes a message; whether it is an event.
        mutating func take(_ message: MQTTMessage) throws -> Bool {
            guard let topic = Topic(name: message.topic), topic != .detectSet, !message.payload.isEmpty else {
                return false
            }
            switch try MessageDecoder().decode(message.payload, on: topic) {
            case .event(let event):
                events[event.id] = event
                return true
            case .today(let totals, _): today = totals
            case .stats(let stats, let origin):
                if origin.camera == "last", stats.messages.queued == 0 { idleStats += 1 }
            default: break
            }
            return false
        }

        func events(on topic: Topic) -> [FaceEvent] {
            events.values.map(\.event).filter { Topic($0.kind) == topic }
        }
    }

    /// What the local clock does while daemons run.
    enum ClockChange: String, CaseIterable {
        case none, forward, back

        /// The time zone, in the form of POSIX, where it was noon at an hour of UTC and the clock is changed by an hour
        /// at a time.
        func zone(noonAt hour: Int, change: Date?) -> String {
            guard self != .none, let change else { return "NOON\(hour - 12)" }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let local = change.addingTimeInterval(Double(12 - hour) * 3600)
            let day = (calendar.ordinality(of: .day, in: .year, for: local) ?? 1) - 1
            let time = calendar.dateComponents([.hour, .minute, .second], from: local)
            let rule = "\(day)/\(time.hour ?? 12):\(time.minute ?? 0):\(time.second ?? 0)"
            let other = (day + 180) % 365
            return self == .forward
                ? "NOON\(hour - 12)NOOS\(hour - 13),\(rule),\(other)"
                : "NOON\(hour - 11)NOOS\(hour - 12),\(other),\(rule)"
        }
    }

    @Test(
        "what was seen today, and in each hour, is the sum of the visits published, after kills at any point",
        arguments: TestEffort.amount([.none], soak: ClockChange.allCases)
    )
    func today(clock: ClockChange) async throws {
        let clip = directory.file("portrait.mp4")
        let making = try await BuiltProgram.run("demo-clip", [clip])
        try #require(making.status == 0, "\(making.output)")
        let subscriber = try await broker.subscriber()
        var messages = subscriber.occurrences.compactMap(\.message).makeAsyncIterator()
        var record = Record()
        // The machine's local time is noon: no day begins during the test.
        let hour = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: .now).hour ?? 12
        // The clock is changed while the run after the one with the first leave goes on.
        var change: Date?
        func run(_ detection: Bool) async throws -> ChildProcess {
            if change == nil, !record.events(on: .leave).isEmpty { change = Date(timeIntervalSinceNow: 2) }
            let options = [
                "events.maxAge=unlimited", "stats.interval=1s", "detection.enabled=\(detection)",
                "camera.name=\(detection ? "killed" : "last")",
            ]
            return try await BuiltProgram.start(
                "facetd",
                ["--source", clip, "--loop", "--pace", "asap", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
                    + options.flatMap { ["--set", $0] },
                environment: ["XDG_STATE_HOME": directory.path, "TZ": clock.zone(noonAt: hour, change: change)]
            )
        }
        // Each takes some seconds: the daemon starts and plays the clip until the event that it is killed at.
        let kills = TestEffort.amount(4, soak: 20)
        for kill in 0..<kills {
            let daemon = try await run(true)
            var isEvent = false
            var rest = 1 + kill * 3 % 7
            // At an event in every other run, between events in the others.
            while rest > 0 || isEvent == (kill % 2 == 0), let message = await messages.next() {
                isEvent = try record.take(message)
                if isEvent { rest -= 1 }
            }
            daemon.signal(SIGKILL)
            await daemon.waitUntilEnded()
        }
        let last = try await run(false)
        while record.idleStats < 2, let message = await messages.next() { _ = try record.take(message) }
        last.signal(SIGTERM)
        await last.waitUntilEnded()
        _ = await subscriber.stop()

        let today = try #require(record.today)
        let enters = record.events(on: .enter)
        let leaves = record.events(on: .leave)
        let visits = leaves.compactMap(\.face.visit)
        #expect(leaves.count >= kills / 2)
        #expect(Set(leaves.map(\.face.faceID)).count == leaves.count, "a leave was repeated")
        #expect(Set(leaves.map(\.face.faceID)) == Set(enters.map(\.face.faceID)))
        #expect((today.visits, visits.count) == (leaves.count, leaves.count))
        #expect(today.smiles == visits.reduce(0) { $0 + $1.smiles })
        #expect(today.smiles == record.events(on: .smile).count)
        #expect(today.looks == visits.reduce(0) { $0 + $1.looks })
        #expect(today.looks == record.events(on: .look).count)
        #expect(abs(today.lookingSeconds - visits.reduce(0) { $0 + $1.lookingSeconds }) < 1e-6)
        #expect(visits.reduce(0) { $0 + $1.blinks } == record.events(on: .blink).count)
        #expect(today.mostFaces == 1)
        // The hours add up to the day, and the machine's hour is noon, before the clock was changed.
        let hours = Set(today.hours.map(\.hour))
        print("hours: \(kills) kills, clock \(clock): \(today.hours.map { "\($0.hour): \($0.visits) visits" })")
        #expect(hours.count == today.hours.count)
        let (first, most) = clock == .back ? (11, 13) : clock == .forward ? (12, 14) : (12, 13)
        #expect(hours.allSatisfy { (first...most).contains($0) } && (clock == .none || hours.count >= 2))
        #expect(today.hours.reduce(0) { $0 + $1.visits } == today.visits)
        #expect(today.hours.reduce(0) { $0 + $1.smiles } == today.smiles)
        #expect(today.hours.reduce(0) { $0 + $1.looks } == today.looks)
        #expect(abs(today.hours.reduce(0) { $0 + $1.lookingSeconds } - today.lookingSeconds) < 1e-6)
    }

    /// A daemon that is killed while a face is there, which the broker knows.
    private func startAndKill() async throws -> ChildProcess {
        let daemon = try await start()
        try await waitForStates(count: "1", faces: "\"faces\":[{")
        daemon.signal(SIGKILL)
        await daemon.waitUntilEnded()
        return daemon
    }

    /// Waits until the broker has such a count and such metadata.
    private func waitForStates(count: String, faces: String) async throws {
        let settings = BrokerSettings(host: broker.host, port: broker.port, clientID: "end-to-end")
        let subscriber = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        for topic in ["count", "metadata"] { try subscriber.subscribe("faces/\(topic)") }
        try subscriber.start()
        var states: [String: String] = [:]
        for await case .message(let message) in subscriber.occurrences {
            states[message.topic] = String(decoding: message.payload, as: UTF8.self)
            if states["faces/count"] == count, states["faces/metadata"]?.contains(faces) == true { break }
        }
        _ = await subscriber.stop()
    }

    @Test("a face that was there gets its leave on return, and no identity comes twice")
    func leave() async throws {
        let first = try await startAndKill()
        let second = try await start()
        try await second.waitForOutput("\"event_type\":\"enter\"")
        try await second.waitForOutput("\"reason\":\"restart\"")
        second.signal(SIGTERM)
        await second.waitUntilEnded()
        let owed = second.messages.filter { $0.payload?.faceID == 1 }
        #expect(owed.map(\.topic) == ["faces/leave"])
        #expect(owed.first?.payload?.reason == "restart")
        let own = second.messages.filter { $0.payload?.faceID == 2 }
        #expect(own.first?.topic == "faces/enter")
        #expect(own.last?.topic == "faces/leave")
        // The first run may have been killed before it printed what it had stored last.
        let before = first.messages.compactMap { $0.payload?.seq }
        let after = second.messages.compactMap { $0.payload?.seq }
        let last = try #require(before.last)
        let next = try #require(after.first)
        #expect(before == Array(1...last))
        #expect(next > last)
        #expect(after == Array(next..<next + after.count))
    }

    @Test("the leave is owed until there is a broker to tell it to")
    func brokerAway() async throws {
        _ = try await startAndKill()
        await broker.terminate()
        let second = try await start()
        try await second.waitForOutput("\"event_type\":\"enter\"")
        try await second.waitForOutput("refused")
        #expect(!second.output.contains("\"reason\":\"restart\""))
        try await broker.start()
        try await second.waitForOutput("\"reason\":\"restart\"")
        second.signal(SIGTERM)
        await second.waitUntilEnded()
        #expect(second.result.status == 0)
    }

    @Test("what the dead run left retained is taken back, even with the camera off")
    func retainedStates() async throws {
        _ = try await startAndKill()
        let second = try await start("--set", "detection.enabled=false")
        try await waitForStates(count: "0", faces: "\"faces\":[]")
        second.signal(SIGTERM)
        await second.waitUntilEnded()
        #expect(second.result.status == 0)
    }

    @Test("subscribers learn that nothing is being looked at before they learn that nobody is there")
    func order() async throws {
        _ = try await startAndKill()
        let settings = BrokerSettings(host: broker.host, port: broker.port, clientID: "order")
        let subscriber = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        for topic in ["status", "count"] { try subscriber.subscribe("faces/\(topic)") }
        try subscriber.start()
        var messages = subscriber.occurrences.compactMap(\.message).makeAsyncIterator()
        // What the dead run left: the subscription has taken effect.
        for _ in 0..<2 { _ = await messages.next() }
        let second = try await start()
        var seen: [String] = []
        while seen.last?.hasPrefix("faces/count") != true, let message = await messages.next() {
            seen.append(message.topic + " " + String(decoding: message.payload, as: UTF8.self))
        }
        #expect(seen.last == "faces/count 0")
        #expect(seen.dropLast().contains { $0.contains("\"cameraState\":\"starting\"") }, "\(seen)")
        #expect(!seen.contains { $0.contains("\"cameraState\":\"streaming\"") }, "\(seen)")
        _ = await subscriber.stop()
        second.signal(SIGTERM)
        await second.waitUntilEnded()
    }

    @Test("detection that was switched off stays off, if that is wanted", arguments: [true, false])
    func detection(isRemembered: Bool) async throws {
        let option = "detection.remember=\(isRemembered)"
        let first = try await start("--set", option)
        // It prints before it is connected, and a command that is sent before that is lost.
        try await waitForStates(count: "1", faces: "\"faces\":[{")
        let settings = BrokerSettings(host: broker.host, port: broker.port, clientID: "switch")
        let commander = try BrokerConnection(settings: settings, logger: Logger(label: "test"))
        try commander.start()
        commander.publish(event: MQTTMessage(topic: "faces/detect/set", payload: Array("OFF".utf8)))
        try await first.waitForOutput("\"cameraState\":\"disabled\"")
        _ = await commander.stop()
        first.signal(SIGKILL)
        await first.waitUntilEnded()
        let second = try await start("--set", option)
        try await second.waitForOutput(isRemembered ? "\"cameraState\":\"disabled\"" : "\"event_type\":\"enter\"")
        second.signal(SIGTERM)
        await second.waitUntilEnded()
        #expect(second.output.contains("\"event_type\":\"enter\"") == !isRemembered)
    }
}
