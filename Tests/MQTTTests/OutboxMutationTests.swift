import FacetTestSupport
import Foundation
import Testing

@testable import MQTT

/// Opens thousands of damaged outboxes: by SQL, which leaves a sound file with wrong rows, and by bytes.
@Suite("Damaged outboxes", .timeLimit(.minutes(10)))
struct OutboxMutationTests {
    private static let mutants = 2400

    @Test("whatever an outbox holds, the program goes on, and events are safe again or the trouble shows")
    func mutants() throws {
        // In memory where there is such a place: each mutant is a file that waits for no disk.
        let place = "/dev/shm/facet-mutants-\(getpid())"
        let scratch = try TemporaryDirectory()
        let hasMemory = mkdir(place, 0o700) == 0
        defer { if hasMemory { try? FileManager.default.removeItem(atPath: place) } }
        let base = hasMemory ? place : scratch.path
        let sound = try Self.soundFile(in: base)
        var random = SeededGenerator(seed: 42)
        var outcomes: [StoreCondition.State: Int] = [:]
        for index in 0..<Self.mutants {
            let directory = "\(base)/\(index)"
            _ = mkdir(directory, 0o700)
            let path = directory + "/outbox.sqlite"
            try Self.mutate(sound, &random, isSQL: index.isMultiple(of: 6), at: path)
            let state = try Self.use(path, index)
            outcomes[state, default: 0] += 1
            try FileManager.default.removeItem(atPath: directory)
        }
        print("outbox mutants: \(outcomes)")
        #expect(outcomes[.restored, default: 0] > Self.mutants / 4)
        // Where the header says that a newer program wrote it.
        #expect(outcomes[.memory, default: 0] < Self.mutants / 20)
    }

    /// Opens a mutant as a daemon does, and again as its next run.
    private static func use(_ path: String, _ index: Int) throws -> StoreCondition.State {
        let store = try Outbox(path: path, logger: .silent)
        let sequence = store.nextSequence()
        #expect((1..<(1 << 53)).contains(sequence), "mutant \(index)")
        #expect(store.events.allSatisfy { $0.sequence < sequence }, "mutant \(index)")
        for event in store.events { _ = DeliveryClock.system.now().elapsed(since: event.time) }
        let isSafe = store.append(.test(sequence))
        store.set([1], for: "key")
        store.remove(store.events.map(\.sequence))
        guard isSafe, store.condition.state != .memory else {
            #expect(store.condition.detail != nil, "mutant \(index)")
            return .memory
        }
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: path + ".copy" + suffix)
        }
        let next = try Outbox(path: path + ".copy", logger: .silent)
        #expect(next.condition.state == .ok, "mutant \(index): \(next.condition)")
        #expect(next.events.map(\.sequence) == [sequence], "mutant \(index)")
        #expect(next.value(for: "key") == [1], "mutant \(index)")
        return store.condition.state
    }

    private static func pick(_ texts: [String], _ random: inout SeededGenerator) -> String {
        texts[.random(in: texts.indices, using: &random)]
    }

    private static func soundFile(in directory: String) throws -> [UInt8] {
        let path = directory + "/sound.sqlite"
        do {
            let store = try Outbox(path: path, logger: .silent)
            for sequence: Int64 in 1...40 {
                var event = StoredEvent.test(sequence)
                event.message.userProperties = [.init("type", "enter")]
                event.message.payload = [UInt8](repeating: UInt8(sequence), count: 300)
                store.append(event)
            }
            store.set(Array("[]".utf8), for: "open faces")
        }
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    private static func mutate(
        _ sound: [UInt8],
        _ random: inout SeededGenerator,
        isSQL: Bool,
        at path: String
    ) throws {
        var bytes = sound
        if isSQL {
            try Data(bytes).write(to: URL(filePath: path))
            let column = [
                "sequence", "wall", "uptime", "boot", "topic", "payload", "contentType", "userProperties", "expiry",
            ]
            let value = [
                "NULL", "-1", "9223372036854775807", "-9223372036854775808", "'text'", "x'ff00fe'", "1.5e300", "''",
            ]
            let row = Int.random(in: 1...40, using: &random)
            let cell = "\(Self.pick(column, &random)) = \(Self.pick(value, &random))"
            let statements = [
                "UPDATE OR IGNORE event SET \(cell) WHERE sequence = \(row)",
                "UPDATE sqlite_sequence SET seq = \(Self.pick(value, &random))",
                "INSERT OR IGNORE INTO value VALUES ('nextFaceID', \(Self.pick(value, &random)))",
            ]
            // Some break a rule of the table: those are no mutants of rows.
            try? SQLiteFile.execute(Self.pick(statements, &random), on: path)
            return
        }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[position] = .random(in: 0...255, using: &random)
        case 2: for _ in 0..<16 { bytes[.random(in: 0..<bytes.count, using: &random)] ^= 1 << 3 }
        case 3: bytes.removeLast(bytes.count - position)
        case 4:
            for index in position..<min(position + 64, bytes.count) {
                bytes[index] = .random(in: 0...255, using: &random)
            }
        default: for index in position / 512 * 512..<min(position / 512 * 512 + 512, bytes.count) { bytes[index] = 0 }
        }
        // The header and the schema are small and matter most.
        if Int.random(in: 0..<3, using: &random) == 0, bytes.count > 100 {
            bytes[.random(in: 0..<100, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        try Data(bytes).write(to: URL(filePath: path))
    }
}

/// Numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
