import FacetTestSupport
import Foundation
import Logging
import Testing

@testable import MQTT

@Suite("Outbox", .serialized, .timeLimit(.minutes(5)))
struct OutboxTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("state/facet/outbox.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("events, numbers and values come back whole after a restart")
    func persistence() throws {
        var event = StoredEvent.test(1)
        event.message.contentType = "application/json"
        event.message.userProperties = [.init("type", "enter"), .init("empty", ""), .init("type", "again")]
        event.message.payload = [0, 255, 128]
        do {
            let store = try Outbox(path: path, logger: .silent)
            #expect(store.condition.state == .ok)
            #expect(store.nextSequence() == 1)
            #expect(store.append(event))
            #expect(store.append(.test(2)))
            #expect(store.append(.test(3)))
            store.remove([2])
            store.set([1, 2, 3], for: "open faces")
            store.set([9], for: "gone")
            store.set(nil, for: "gone")
        }
        let store = try Outbox(path: path, logger: .silent)
        #expect(store.events == [event, .test(3)])
        #expect(store.nextSequence() == 4)
        #expect(store.value(for: "open faces") == [1, 2, 3])
        #expect(store.value(for: "gone") == nil)
    }

    @Test("values that belong to an event are written together with it, never without it")
    func valuesOfEvents() throws {
        do {
            let store = try Outbox(path: path, logger: .silent)
            let first = store.nextSequence(with: ["a": [1]])
            let second = store.nextSequence(with: ["a": [2], "b": [3]])
            #expect(store.value(for: "a") == nil)
            store.append(.test(first))
            #expect(store.value(for: "a") == [1])
            #expect(second == 2)
        }
        let store = try Outbox(path: path, logger: .silent)
        #expect(store.events.count == 1)
        #expect(store.value(for: "a") == [1])
        #expect(store.value(for: "b") == nil)
    }

    @Test("an event without properties comes back without any")
    func noProperties() throws {
        do { _ = try Outbox(path: path, logger: .silent).append(.test(1)) }
        #expect(try Outbox(path: path, logger: .silent).events == [.test(1)])
    }

    @Test("sequence numbers grow on although all events are gone")
    func monotonicSequence() throws {
        do {
            let store = try Outbox(path: path, logger: .silent)
            for sequence: Int64 in 1...5 { store.append(.test(sequence)) }
            store.remove([1, 2, 3, 4, 5])
        }
        #expect(try Outbox(path: path, logger: .silent).nextSequence() == 6)
    }

    @Test("a number that no event was kept with is used again: no gap")
    func unusedNumber() throws {
        do { _ = try Outbox(path: path, logger: .silent).nextSequence() }
        #expect(try Outbox(path: path, logger: .silent).nextSequence() == 1)
    }

    @Test("the file is for its owner only")
    func permissions() throws {
        let store = try Outbox(path: path, logger: .silent)
        store.append(.test(1))
        for name in [path, path + "-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("a second process with the same file is refused and learns who has it")
    func sharedFile() async throws {
        let first = try Outbox(path: path, logger: .silent)
        await #expect(processExitsWith: .success) { [path = path as String, holder = getpid() as Int32] in
            let error = #expect(throws: OutboxInUse.self) { try Outbox(path: path, logger: .silent) }
            #expect(error?.description.contains("process \(holder) (") == true)
        }
        #expect(first.append(.test(1)))
    }

    @Test("a place that cannot be written to is told once, and everything goes on in memory")
    func unusablePlace() throws {
        let log = LogRecorder()
        let store = try Outbox(path: "/proc/facet/outbox.sqlite", logger: log.logger)
        #expect(store.condition.state == .memory)
        #expect(!store.append(.test(1)))
        store.remove([1])
        store.set([1], for: "key")
        #expect(store.value(for: "key") == [1])
        #expect(log.lines.count == 1)
    }

    @Test("a read-only file is told once, and everything goes on in memory")
    func readOnlyFile() throws {
        do { _ = try Outbox(path: path, logger: .silent).append(.test(1)) }
        let log = LogRecorder()
        // Root may write to a read-only file: for root the file is in a directory that does not exist.
        let isRoot = getuid() == 0
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        let store = try Outbox(path: isRoot ? "/sys/outbox.sqlite" : path, logger: log.logger)
        #expect(!store.append(.test(2)))
        #expect(store.condition.detail?.contains("cannot") == true)
        #expect(log.lines.count == 1)
    }

    @Test(
        "a damaged file is moved aside, a new one begins, and numbers go on",
        arguments: [0, 4200, 9000]
    )
    func damagedFile(offset: Int) throws {
        do {
            let store = try Outbox(path: path, logger: .silent)
            for sequence: Int64 in 1...200 { store.append(.test(sequence)) }
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let log = LogRecorder()
        do {
            let store = try Outbox(path: path, logger: log.logger)
            #expect(store.condition.state == .restored)
            #expect(store.hasLostValues)
            #expect(log.lines.count == 1)
            let aside = try #require(try asides().first)
            #expect(store.condition.detail?.contains(aside) == true)
            #expect(try Data(contentsOf: URL(filePath: aside)).count == before.count)
            #expect(store.events.isEmpty)
            let next = store.nextSequence()
            #expect(next > 200)
            #expect(store.append(.test(next)))
        }
        let next = try Outbox(path: path, logger: .silent)
        #expect(next.condition.state == .ok)
        #expect(next.hasLostValues, "until a run has settled, the values of earlier ones are not known")
        #expect(next.nextSequence() > 1_000_000_000_000)
        #expect(try asides().count == 1)
    }

    private func asides() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.file("state/facet"))
            .filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            .map { directory.file("state/facet/" + $0) }
    }

    @Test(
        "cells of the wrong type or range are damage like any other",
        arguments: [
            "UPDATE event SET topic = x'00ff' WHERE sequence = 2",
            "UPDATE event SET wall = 'noon' WHERE sequence = 2",
            "UPDATE event SET uptime = 9223372036854775807 WHERE sequence = 2",
            "UPDATE event SET payload = 7 WHERE sequence = 2",
            "UPDATE event SET sequence = 9223372036854775807 WHERE sequence = 2",
            "UPDATE event SET sequence = -5 WHERE sequence = 2",
            "UPDATE sqlite_sequence SET seq = 9223372036854775807",
            "UPDATE sqlite_sequence SET seq = 'many'",
            "UPDATE sqlite_sequence SET name = NULL",
            "INSERT INTO value VALUES (x'01', 1.5)",
            "DROP TABLE grdb_migrations; CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES (NULL)",
        ]
    )
    func wrongCells(sql: String) throws {
        do {
            let store = try Outbox(path: path, logger: .silent)
            for sequence: Int64 in 1...3 { store.append(.test(sequence)) }
            store.set([7], for: "open faces")
        }
        try SQLiteFile.execute(sql, on: path)
        let store = try Outbox(path: path, logger: .silent)
        #expect(store.condition.state == .restored)
        #expect(store.events.isEmpty)
        #expect(store.value(for: "open faces") == nil && store.hasLostValues)
        let next = store.nextSequence()
        #expect((4..<(1 << 53)).contains(next))
        #expect(store.append(.test(next)))
    }

    @Test("a file that goes bad while it is in use is replaced, with everything that waits")
    func damageLater() throws {
        let store = try Outbox(path: path, logger: .silent)
        for sequence: Int64 in 1...50 { store.append(.test(sequence)) }
        store.remove([1, 2])
        try SQLiteFile.execute("DROP TABLE event", on: path)
        #expect(!store.append(.test(51)))
        #expect(store.condition.state == .memory)
        try repeatedly(store) { $0.condition.state == .restored }
        #expect(store.append(.test(52)))
        try expect(Array(3...52), afterRestartOf: store)
    }

    @Test("a deleted directory is noticed, and a new file holds everything that waits")
    func deletedDirectory() throws {
        let store = try Outbox(path: path, logger: .silent)
        for sequence: Int64 in 1...3 { store.append(.test(sequence)) }
        store.remove([1])
        try FileManager.default.removeItem(atPath: directory.file("state"))
        try repeatedly(store) { $0.condition.state == .restored }
        try expect([2, 3], afterRestartOf: store)
    }

    @Test("a file that cannot be opened at the start is opened later, and numbers do not begin anew")
    func lateFile() throws {
        _ = try directory.write("in the way", to: "state")
        let store = try Outbox(path: path, logger: .silent)
        #expect(store.condition.state == .memory)
        let number = store.nextSequence()
        #expect(number > 1_000_000_000)
        #expect(!store.append(.test(number)))
        try FileManager.default.removeItem(atPath: directory.file("state"))
        try repeatedly(store) { $0.condition.state != .memory }
        try expect([number], afterRestartOf: store)
    }

    /// Lets the store try again as the network thread does, until a condition is met; the suite's time limit ends it.
    private func repeatedly(_ store: Outbox, until condition: (Outbox) -> Bool) throws {
        while !condition(store) {
            store.tidy()
            usleep(20_000)
        }
    }

    /// Expects these events in a copy of the file, as after a crash.
    private func expect(_ sequences: [Int64], afterRestartOf store: Outbox) throws {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: directory.file("copy") + suffix)
        }
        let copy = try Outbox(path: directory.file("copy"), logger: .silent)
        #expect(copy.events.map(\.sequence) == sequences)
        #expect(copy.nextSequence() == (sequences.last ?? 0) + 1)
        withExtendedLifetime(store) {}
    }

    @Test("a second process is refused after a damaged file was replaced, too")
    func sharedReplacement() async throws {
        do {
            let store = try Outbox(path: path, logger: .silent)
            for sequence: Int64 in 1...200 { store.append(.test(sequence)) }
        }
        try SQLiteFile.execute("UPDATE event SET topic = x'00ff' WHERE sequence = 2", on: path)
        let first = try Outbox(path: path, logger: .silent)
        #expect(first.condition.state == .restored)
        await #expect(processExitsWith: .success) { [path = path as String] in
            #expect(throws: OutboxInUse.self) { try Outbox(path: path, logger: .silent) }
        }
        try SQLiteFile.execute("DROP TABLE event", on: path)
        #expect(!first.append(.test(first.nextSequence())))
        try repeatedly(first) { $0.condition.state == .restored }
        await #expect(processExitsWith: .success) { [path = path as String] in
            #expect(throws: OutboxInUse.self) { try Outbox(path: path, logger: .silent) }
        }
        #expect(first.append(.test(first.nextSequence())))
    }

    @Test("numbers that a full disk did not take are not used again by the next run")
    func numbersOfFullDisk() throws {
        var last: Int64 = 0
        do {
            let store = try Outbox(path: path, maximumPages: 12, logger: .silent)
            #expect(!store.hasLostValues)
            while store.condition.state == .ok, last < 1000 {
                last = store.nextSequence()
                var event = StoredEvent.test(last)
                event.message.payload = [UInt8](repeating: 1, count: 2000)
                store.append(event)
            }
            for _ in 1...20 {
                last = store.nextSequence()
                store.append(.test(last))
            }
            #expect(store.condition.state == .memory)
        }
        // This stays so until a run has written its numbers, however many runs die before.
        for _ in 1...2 {
            let next = try Outbox(path: path, logger: .silent)
            #expect(next.condition.state == .ok && next.hasLostValues)
            #expect(next.nextSequence() > last)
        }
        do {
            let next = try Outbox(path: path, logger: .silent)
            last = next.nextSequence()
            #expect(next.append(.test(last)))
            next.settle()
        }
        let next = try Outbox(path: path, logger: .silent)
        #expect(!next.hasLostValues && next.nextSequence() == last + 1)
    }

    @Test("numbers that an earlier run could not write stay used although the run after it has no event")
    func settledWithoutEvent() throws {
        var last: Int64 = 0
        do {
            let store = try Outbox(path: path, maximumPages: 12, logger: .silent)
            while store.condition.state == .ok, last < 1000 {
                last = store.nextSequence()
                var event = StoredEvent.test(last)
                event.message.payload = [UInt8](repeating: 1, count: 2000)
                store.append(event)
            }
            last = store.nextSequence()
            store.append(.test(last))
        }
        try Outbox(path: path, logger: .silent).settle()
        #expect(try Outbox(path: path, logger: .silent).nextSequence() > last)
    }

    @Test("an event is stored while the log is being merged into the file")
    func checkpointAside() throws {
        let file = try OutboxFile(path: directory.file("outbox.sqlite"), maximumPages: nil, lock: nil)
        var written = false
        file.checkpointer.withLock { _ in
            // On the connection that does the merging: a write that used it, too, would never end.
            let done = DispatchSemaphore(value: 0)
            let thread = Thread {
                try? file.write(.init(events: [.test(1)]))
                done.signal()
            }
            thread.start()
            done.wait()
            written = true
        }
        #expect(written)
        #expect(try file.read().events.count == 1)
    }

    @Test("a file of a newer version is left alone")
    func newerFile() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("state/facet"),
            withIntermediateDirectories: true
        )
        do { _ = try Outbox(path: path, logger: .silent) }
        try SQLiteFile.execute("INSERT INTO grdb_migrations VALUES ('v99')", on: path)
        #expect(try Outbox(path: path, logger: .silent).condition.detail?.contains("newer") == true)
        #expect(try asides().isEmpty)
    }

    @Test("a full disk costs safety, not events, and is noticed when it is over")
    func fullDisk() throws {
        let log = LogRecorder()
        let store = try Outbox(path: path, maximumPages: 12, logger: log.logger)
        var kept: [Int64] = []
        var sequence: Int64 = 0
        while store.condition.state == .ok, sequence < 1000 {
            sequence += 1
            var event = StoredEvent.test(sequence)
            event.message.payload = [UInt8](repeating: 1, count: 2000)
            if store.append(event) { kept.append(sequence) }
        }
        #expect(store.condition.detail?.contains("full") == true)
        #expect(!kept.isEmpty)
        store.remove(kept)
        try repeatedly(store) { $0.condition.state == .ok }
        #expect(store.append(.test(sequence + 1)))
        #expect(log.lines.count == 2)
    }

    @Test("the log is merged into the file now and then")
    func tidying() throws {
        let store = try Outbox(path: path, logger: .silent)
        for sequence: Int64 in 1...400 {
            store.append(.test(sequence))
            store.remove([sequence])
            store.tidy()
        }
        // A thread of its own merges it, beside the writes.
        try repeatedly(store) { store in
            store.append(.test(401))
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
            return (attributes?[.size] as? Int).map { $0 < 2_000_000 } ?? false
        }
    }
}
