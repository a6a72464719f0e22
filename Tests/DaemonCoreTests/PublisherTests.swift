import FaceMessages
import FaceMetadata
import FacetKit
import FacetTestSupport
import Frames
import MQTT
import Synchronization
import System
import Testing

@testable import DaemonCore

@Suite("Publisher and ledger")
struct PublisherTests {
    private let store = Outbox()

    /// A ledger on the same store, as the next run of the daemon finds it.
    private func ledger() -> Ledger { Ledger(store: store) }

    private func event(_ kind: FaceEvent.Kind, face: Int) -> FaceEvent {
        let object = FaceObject(
            faceID: FaceID(rawValue: face),
            bounds: NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
            confidence: 1
        )
        return FaceEvent(
            kind: kind,
            face: object,
            stamp: FrameStamp(frame: 3, time: Timestamp(nanoseconds: 9), mediaTime: 1)
        )
    }

    private var leave: FaceEvent.Kind { .leave(dwell: 1, lastSeen: Timestamp(nanoseconds: 9), reason: .left) }

    private func publisher(_ ledger: Ledger, sink: any MessageSink) throws -> Publisher {
        let origin = MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
        return try Publisher(origin: origin, wanted: Settings().publish, ledger: ledger, sinks: [sink])
    }

    @Test("a daemon that dies at any moment owes the leave of each face whose enter is kept, and no other")
    func deathInBetween() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("outbox.sqlite")
        // What the next run would find in the file, at each message that a run which died just then had sent or not.
        let witness = Witness {
            guard let store = try? Outbox(path: path, logger: .silent) else { return [] }
            var present: Set<Int> = []
            for event in store.events {
                let topic = Topic(name: event.message.topic) ?? .status
                guard case .event(let message)? = try? MessageDecoder().decode(event.message.payload, on: topic) else {
                    continue
                }
                let face = message.event.face.faceID.rawValue
                if topic == .leave { present.remove(face) } else { present.insert(face) }
            }
            let owed = Ledger(store: store).leavesOfLastRun.map(\.face.faceID.rawValue)
            return owed == present.sorted() ? owed : [-1]
        }
        func run(_ body: (Publisher) -> Void) throws {
            let store = try Outbox(path: path, logger: .silent)
            let settings = BrokerSettings(host: "127.0.0.1", port: 1, clientID: "test")
            let sink = BrokerSink(
                connection: try BrokerConnection(settings: settings, store: store, logger: .silent),
                base: "faces"
            )
            let origin = MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
            let publisher = try Publisher(
                origin: origin,
                wanted: Set(Topic.events),
                ledger: Ledger(store: store),
                sinks: [witness, sink, witness]
            )
            body(publisher)
            publisher.finish()
        }
        try run { $0.publish([event(.enter, face: 1), event(.enter, face: 2), event(leave, face: 1)]) }
        #expect(witness.owed == [[], [1], [1], [1, 2], [1, 2], [2]])
        try run { publisher in
            publisher.publish([event(.enter, face: 3)])
            publisher.publishLeavesOfLastRun()
        }
        #expect(witness.owed.dropFirst(6) == [[2], [2, 3], [2, 3], [3]])
    }

    @Test("smiles of a visit that goes on count at once, and once only, also if the daemon is killed before the leave")
    func smilesToday() async throws {
        func smiling(_ smiles: Int, _ kind: FaceEvent.Kind = .smile, face: Int = 1) -> FaceEvent {
            var event = event(kind, face: face)
            event.face.visit = Visit()
            event.face.visit?.smiles = smiles
            return event
        }
        var totals: [DayTotals] = []
        func run(_ body: (Publisher) -> Void) async throws {
            let sink = MessageRecorder()
            let publisher = try publisher(ledger(), sink: sink)
            body(publisher)
            publisher.finish()
            for message in await sink.takeAll() where message.topic == .today {
                guard case .today(let today, _) = try MessageDecoder().decode(message.payload, on: .today) else {
                    return
                }
                totals.append(today)
            }
        }
        try await run { $0.publish([event(.enter, face: 1), smiling(1), smiling(1, .look), smiling(2)]) }
        #expect(totals.map(\.smiles) == [0, 1, 2] && totals.allSatisfy { $0.visits == 0 })
        // As after kill -9: of the last run only what is stored is left.
        try await run { $0.publishLeavesOfLastRun() }
        #expect((totals.last?.smiles, totals.last?.visits) == (2, 1))
        let picture = FaceEvent.Kind.leave(dwell: 30, lastSeen: Timestamp(nanoseconds: 9), reason: .still)
        try await run { $0.publish([smiling(3, face: 2), smiling(3, picture, face: 2)]) }
        #expect(totals.suffix(2).map(\.smiles) == [5, 2] && totals.last?.visits == 1)
        #expect(totals.last?.hours.reduce(0) { $0 + $1.smiles } == 2)
    }

    @Test("a visit counts for today with its leave, over restarts, also where events are not published")
    func today() async throws {
        var totals: [DayTotals] = []
        for wanted in [Settings().publish, [.today]] {
            let sink = MessageRecorder()
            let origin = MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
            let publisher = try Publisher(origin: origin, wanted: wanted, ledger: ledger(), sinks: [sink])
            publisher.publishToday(always: true)
            publisher.publish([event(.enter, face: 1), event(.enter, face: 2), event(.look, face: 1)])
            var visit = Visit()
            (visit.looks, visit.lookingSeconds) = (1, 2.5)
            var gone = event(leave, face: 1)
            gone.face.visit = visit
            publisher.publish([gone])
            // A picture of a face that left is no visit.
            let picture = FaceEvent.Kind.leave(dwell: 30, lastSeen: Timestamp(nanoseconds: 9), reason: .still)
            publisher.publish([event(.enter, face: 3), event(picture, face: 3)])
            publisher.publishToday()
            publisher.finish()
            for message in await sink.takeAll() where message.topic == .today {
                guard case .today(let today, _) = try MessageDecoder().decode(message.payload, on: .today) else {
                    return
                }
                totals.append(today)
            }
        }
        #expect(totals.map(\.visits) == [0, 0, 0, 1, 1, 2])
        #expect(totals.map(\.mostFaces) == [0, 1, 2, 2, 2, 2])
        #expect((totals.last?.looks, totals.last?.lookingSeconds) == (2, 5))
        #expect(Set(totals.map(\.since)).count <= 2)
    }

    @Test(
        "a damaged number of the next face does not stop the daemon, nor is a number used again",
        arguments: ["9223372036854775807", "-1", "0", "many", ""]
    )
    func damagedIdentity(text: String) throws {
        store.set(Array(text.utf8), for: "nextFaceID")
        let next = ledger().nextFaceID()
        #expect((1_000_000_000..<(1 << 53)).contains(next.rawValue))
        let publisher = try publisher(ledger(), sink: Witness { [] })
        publisher.publish([event(.enter, face: next.rawValue)])
        publisher.finish()
        #expect(ledger().nextFaceID().rawValue == next.rawValue + 1)
    }

    @Test("faces of the last run that cannot be computed with are left out")
    func damagedFaces() {
        let encoder = MessageEncoder(camera: "", boot: "")
        let face = String(
            decoding: encoder.event(event(leave, face: 7), id: "", seq: 0, latency: nil).payload,
            as: UTF8.self
        )
        let wrong = face.replacing(#""x":0.25"#, with: #""x":-9223372036854775808"#)
        store.set(Array("{\n\(wrong.replacing("7", with: "6"))\n\(face)".utf8), for: "owedLeaves")
        #expect(ledger().leavesOfLastRun.map(\.face.faceID.rawValue) == [7])
        #expect(ledger().nextFaceID().rawValue == 8)
    }

    @Test("an event's latency counts from its own time, also where a later frame made it certain")
    func latency() async throws {
        let sink = MessageRecorder()
        let publisher = try publisher(ledger(), sink: sink)
        let blink = event(.blink(eyes: .both, duration: 0.1), face: 1)
        var certain = blink.stamp
        certain.mediaTime += 0.125
        let captured = ContinuousClock.now
        var update = FaceUpdate(state: .starting, stamp: certain)
        update.captured = captured
        publisher.publish([blink], of: update)
        publisher.finish()
        let message = try #require(await sink.takeAll().first)
        #expect(message.captured == captured - .seconds(0.125))
        guard case .event(let decoded) = try MessageDecoder().decode(message.payload, on: .blink) else { return }
        #expect((decoded.latency ?? 0) >= 0.125)
    }

    @Test("identities go on where the last run ended")
    func identities() throws {
        let publisher = try publisher(ledger(), sink: Witness { [] })
        publisher.publish([event(.enter, face: 7), event(leave, face: 7)])
        publisher.finish()
        #expect(ledger().nextFaceID() == FaceID(rawValue: 8))
    }

    @Test(
        "a sink that blocks holds up neither stats nor commands, and a full queue only the session",
        .timeLimit(.minutes(5))
    )
    func blockingSink() throws {
        let sink = BlockingSink()
        let publisher = try publisher(ledger(), sink: sink)
        // Many more than the queue takes: these callers are on Swift's shared threads and must not wait.
        for _ in 0..<1000 { publisher.publish(.detectState(true), waits: false) }
        publisher.publishLeavesOfLastRun()
        // From then on the publisher's thread is blocked, with what it has taken out of the queue.
        sink.waitUntilBegun()
        let queued = publisher.queued
        for _ in 0..<1000 { publisher.publishToday() }
        let most = max(queued, Publisher.capacity)
        #expect(publisher.queued == most, "hours behind a reader that stalls may not fill the memory")
        sink.release()
        publisher.publish(.count(1))
        publisher.finish()
        #expect(sink.received == 1001)
    }
}

/// Does not return from the first message before it is released.
private final class BlockingSink: MessageSink {
    private let state = Monitor((hasBegun: false, isReleased: false, received: 0))

    var received: Int { state.update { $0.received } }

    func release() { state.update { $0.isReleased = true } }
    func waitUntilBegun() { state.wait { $0.hasBegun ? () : nil } }

    func send(_ message: Message) {
        state.update { $0.hasBegun = true }
        state.wait { state -> Void? in
            guard state.isReleased else { return nil }
            state.received += 1
            return ()
        }
    }
}

/// Notes something whenever a message is sent.
private final class Witness: MessageSink {
    private let look: @Sendable () -> [Int]
    private let seen = Mutex<[[Int]]>([])

    init(_ look: @escaping @Sendable () -> [Int]) {
        self.look = look
    }

    var owed: [[Int]] { seen.withLock(\.self) }

    func send(_ message: Message) {
        let now = look()
        seen.withLock { $0.append(now) }
    }
}
