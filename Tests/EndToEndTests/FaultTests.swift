import FacetTestSupport
import Foundation
import MQTT
import Testing

/// System calls that fail in the running daemon, one kind after the other (see Faults/faults.c).
@Suite(
    "When system calls fail",
    .serialized,
    .enabled(
        if: MosquittoBroker.isInstalled && LocalServer.isPossible,
        "mosquitto or python3 is missing: run deploy/setup"
    ),
    .timeLimit(.minutes(5))
)
struct FaultTests {
    /// What fails: the numbers are those in faults.c.
    enum Call: Int32 { case read = 1, write, sync, socket, open, map, poll }
    enum Place { case anywhere, outbox, broker, stream }

    struct Fault: CustomStringConvertible {
        var call: Call
        var place: Place
        var error: Int32
        var times: Int32 = 1

        var description: String { "\(call) at \(place): \(String(cString: strerror(error))), \(times) times" }
    }

    /// The most orders that faults.c takes at a time.
    private static let orders = 6

    private let directory: TemporaryDirectory
    private let broker: MosquittoBroker
    private let camera: LocalServer
    private let control: String
    private let outbox: String

    init() async throws {
        directory = try TemporaryDirectory()
        broker = try await MosquittoBroker()
        try FileManager.default.copyItem(
            atPath: "/usr/local/share/facet/grace_hopper.jpg",
            toPath: directory.file("live.jpg")
        )
        camera = try LocalServer(.camera, directory: URL(filePath: directory.path))
        control = directory.file("control")
        outbox = directory.file("outbox.sqlite")
        try Data(count: Self.orders * 16).write(to: URL(filePath: control))
    }

    @Test("the stream's calls: faces leave, the status says so, and all comes back; no event is lost")
    func stream() async throws {
        try await run(rounds: [
            [Fault(call: .read, place: .stream, error: EIO)],
            [Fault(call: .read, place: .stream, error: ENOMEM)],
            [
                Fault(call: .read, place: .stream, error: ECONNRESET),
                Fault(call: .socket, place: .anywhere, error: EMFILE, times: 2),
            ],
            [
                Fault(call: .read, place: .stream, error: ECONNRESET),
                Fault(call: .write, place: .stream, error: EPIPE),
            ],
        ])
    }

    @Test("the broker's calls while faces leave and enter: no event is lost")
    func delivery() async throws {
        // The stream's fault makes events.
        let loss = Fault(call: .read, place: .stream, error: ECONNRESET)
        try await run(rounds: [
            [loss, Fault(call: .write, place: .broker, error: EPIPE)],
            [loss, Fault(call: .read, place: .broker, error: ECONNRESET)],
            [loss, Fault(call: .read, place: .broker, error: ENOMEM)],
            [
                loss, Fault(call: .write, place: .broker, error: EIO),
                Fault(call: .socket, place: .anywhere, error: EMFILE, times: 2),
            ],
            [loss, Fault(call: .poll, place: .anywhere, error: ENOMEM, times: 5)],
        ])
    }

    @Test("the outbox's calls while faces leave and enter: no event is lost, and the status says what is wrong")
    func storage() async throws {
        let loss = Fault(call: .read, place: .stream, error: ECONNRESET)
        let daemon = try await run(
            rounds: [
                [loss, Fault(call: .write, place: .outbox, error: ENOSPC, times: 3)],
                [loss, Fault(call: .write, place: .outbox, error: EIO)],
            ],
            // Without its file, the outbox is opened again: each attempt meets another fault.
            reopening: [
                Fault(call: .open, place: .outbox, error: EMFILE),
                Fault(call: .map, place: .outbox, error: ENOMEM),
                Fault(call: .read, place: .outbox, error: EIO), Fault(call: .sync, place: .outbox, error: EIO),
                Fault(call: .write, place: .outbox, error: ENOSPC),
            ]
        )
        let details = daemon.messages.compactMap { $0.payload?.outboxDetail }
        for text in ["the disk is full", "disk I/O error", "Too many open files"] {
            #expect(details.contains { $0.contains(text) }, "\(text): \(details)")
        }
    }

    /// Lets calls of a daemon fail round after round, and checks that every event arrived.
    ///
    /// In each round a face leaves and another one enters.
    @discardableResult
    private func run(rounds: [[Fault]], reopening: [Fault] = []) async throws -> ChildProcess {
        let subscriber = try await broker.subscriber()
        let daemon = try await start()
        var face = 1
        try await daemon.waitForOutput("\"faceID\":\(face),")
        for faults in rounds {
            try arm(faults)
            face += 1
            try await daemon.waitForOutput("\"faceID\":\(face),")
            // A broker's answer may come later than the face.
            while try remaining > 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        if !reopening.isEmpty {
            try arm(reopening)
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: outbox + suffix) }
            try await daemon.waitForOutput("opened again and holds all events")
            #expect(try remaining == 0)
        }
        daemon.signal(SIGTERM)
        await daemon.waitUntilEnded()
        #expect(daemon.result.status == 0, "\(daemon.output.suffix(2000))")
        let printed = daemon.messages.filter { $0.payload?.seq != nil }
        let numbers = printed.compactMap { $0.payload?.seq }
        #expect(numbers == Array(1...max(1, printed.count)))
        // Ends at the time limit if one is missing.
        try await waitForEvents(Set(numbers), from: subscriber)
        let enters = printed.filter { $0.topic == "faces/enter" }.compactMap { $0.payload?.faceID }
        let leaves = printed.filter { $0.topic == "faces/leave" }.compactMap(\.payload)
        #expect(enters == Array(1...face) && leaves.compactMap(\.faceID) == enters)
        #expect(leaves.dropLast().allSatisfy { $0.reason == "camera_lost" } && leaves.last?.reason == "shutdown")
        let states = daemon.messages.compactMap { $0.payload?.cameraState }
        #expect(states.contains("lost"))
        return daemon
    }

    private func start() async throws -> ChildProcess {
        let shim = directory.file("faults.so")
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Faults/faults.c").path
        // The C compiler that is installed with Swift.
        try Tool.run("/usr/bin/env", ["clang", "-shared", "-fPIC", "-O1", "-o", shim, source])
        let settings = ["outbox.path=\(outbox)", "events.maxAge=unlimited"].flatMap { ["--set", $0] }
        return try await BuiltProgram.start(
            "facetd",
            [
                "--source", "http://127.0.0.1:\(camera.port)/live", "--mqtt", "mqtt://127.0.0.1:\(broker.port)",
                "--print",
            ]
                + settings,
            environment: ["LD_PRELOAD": shim, "FACET_FAULTS": control]
        )
    }

    /// Lets the next calls of these kinds fail.
    private func arm(_ faults: [Fault]) throws {
        var numbers = faults.flatMap { fault in
            let place: Int32 =
                switch fault.place {
                case .anywhere: 0
                case .outbox: -1
                case .broker: Int32(broker.port)
                case .stream: Int32(camera.port)
                }
            return [fault.call.rawValue, place, fault.error, fault.times]
        }
        numbers += [Int32](repeating: 0, count: Self.orders * 4 - numbers.count)
        // In place: the daemon has mapped this file.
        let file = try FileHandle(forUpdating: URL(filePath: control))
        try file.write(contentsOf: numbers.withUnsafeBytes { Data($0) })
        try file.close()
    }

    /// How many calls are still to fail.
    private var remaining: Int32 {
        get throws {
            try Data(contentsOf: URL(filePath: control)).withUnsafeBytes { bytes in
                (0..<Self.orders).reduce(0) { $0 + max(0, bytes.load(fromByteOffset: $1 * 16 + 12, as: Int32.self)) }
            }
        }
    }

    /// Waits until a subscriber has got the events with these numbers.
    private func waitForEvents(_ numbers: Set<Int>, from subscriber: BrokerConnection) async throws {
        var missing = numbers
        for await case .message(let message) in subscriber.occurrences {
            let payload = try? JSONDecoder().decode(PrintedMessage.Payload.self, from: Data(message.payload))
            if let number = payload?.seq { missing.remove(number) }
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty)
        _ = await subscriber.stop()
    }
}
