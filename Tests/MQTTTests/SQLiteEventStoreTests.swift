import FacetTestSupport
import Foundation
import Logging
import Testing

@testable import MQTT

@Suite("Outbox in SQLite")
struct SQLiteEventStoreTests {
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
        event.message.messageExpiry = .seconds(3)
        event.message.payload = [0, 255, 128]
        do {
            let store = SQLiteEventStore(path: path, logger: .silent)
            #expect(store.degradation == nil)
            #expect(store.nextSequence() == 1)
            #expect(store.append(event))
            #expect(store.append(.test(2)))
            #expect(store.append(.test(3)))
            store.remove([2])
            store.set([1, 2, 3], for: "open faces")
            store.set([9], for: "gone")
            store.set(nil, for: "gone")
            #expect(store.nextValue(for: "faceID") == 1)
            #expect(store.nextValue(for: "faceID") == 2)
        }
        let store = SQLiteEventStore(path: path, logger: .silent)
        #expect(store.events() == [event, .test(3)])
        #expect(store.nextSequence() == 4)
        #expect(store.value(for: "open faces") == [1, 2, 3])
        #expect(store.value(for: "gone") == nil)
        #expect(store.nextValue(for: "faceID") == 3)
    }

    @Test("an event without properties comes back without any")
    func noProperties() throws {
        do { _ = SQLiteEventStore(path: path, logger: .silent).append(.test(1)) }
        #expect(SQLiteEventStore(path: path, logger: .silent).events() == [.test(1)])
    }

    @Test("sequence numbers grow on although all events are gone")
    func monotonicSequence() {
        do {
            let store = SQLiteEventStore(path: path, logger: .silent)
            for sequence: Int64 in 1...5 { store.append(.test(sequence)) }
            store.remove([1, 2, 3, 4, 5])
        }
        #expect(SQLiteEventStore(path: path, logger: .silent).nextSequence() == 6)
    }

    @Test("a number that no event was kept with is used again: no gap")
    func unusedNumber() {
        do { _ = SQLiteEventStore(path: path, logger: .silent).nextSequence() }
        #expect(SQLiteEventStore(path: path, logger: .silent).nextSequence() == 1)
    }

    @Test("the file is for its owner only")
    func permissions() throws {
        let store = SQLiteEventStore(path: path, logger: .silent)
        store.append(.test(1))
        for name in [path, path + "-wal"] {
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("a second program with the same file goes on in memory, and says so")
    func sharedFile() {
        let log = LogRecorder()
        let first = SQLiteEventStore(path: path, logger: .silent)
        let second = SQLiteEventStore(path: path, logger: log.logger)
        #expect(first.append(.test(1)))
        #expect(!second.append(.test(1)))
        #expect(!second.append(.test(2)))
        #expect(second.degradation?.contains("outbox.path") == true)
        #expect(log.lines.count == 1)
    }

    @Test("a place that cannot be written to is told once, and everything goes on in memory")
    func unusablePlace() {
        let log = LogRecorder()
        let store = SQLiteEventStore(path: "/proc/facet/outbox.sqlite", logger: log.logger)
        #expect(store.degradation != nil)
        #expect(store.nextSequence() == 1)
        #expect(!store.append(.test(1)))
        store.remove([1])
        store.set([1], for: "key")
        #expect(store.value(for: "key") == [1])
        #expect(store.nextValue(for: "faceID") == 1)
        #expect(store.nextValue(for: "faceID") == 2)
        #expect(log.lines.count == 1)
    }

    @Test("a read-only file is told once, and everything goes on in memory")
    func readOnlyFile() throws {
        do { _ = SQLiteEventStore(path: path, logger: .silent).append(.test(1)) }
        let log = LogRecorder()
        // Root may write what is read-only, so the lack of a directory stands in where it has to.
        let isRoot = getuid() == 0
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        let store = SQLiteEventStore(path: isRoot ? "/sys/outbox.sqlite" : path, logger: log.logger)
        #expect(!store.append(.test(2)))
        #expect(store.degradation?.contains("cannot be written") == true)
        #expect(log.lines.count == 1)
    }

    @Test("a damaged file is told, kept as it is, and everything goes on in memory", arguments: [0, 4000, 9000])
    func damagedFile(offset: Int) throws {
        do {
            let store = SQLiteEventStore(path: path, logger: .silent)
            for sequence: Int64 in 1...200 { store.append(.test(sequence)) }
            store.tidy()
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try handle.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let store = SQLiteEventStore(path: path, logger: .silent)
        #expect(store.degradation?.contains("damaged") == true, "\(String(describing: store.degradation))")
        #expect(!store.append(.test(201)))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("a file of a newer version is left alone")
    func newerFile() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("state/facet"),
            withIntermediateDirectories: true
        )
        try SQLiteFile.setVersion(2, of: path)
        #expect(SQLiteEventStore(path: path, logger: .silent).degradation?.contains("newer") == true)
    }

    @Test("a full disk costs safety, not events, and is noticed when it is over")
    func fullDisk() {
        let log = LogRecorder()
        let store = SQLiteEventStore(path: path, maximumPages: 12, logger: log.logger)
        var kept: [Int64] = []
        var sequence: Int64 = 0
        while store.degradation == nil, sequence < 1000 {
            sequence += 1
            var event = StoredEvent.test(sequence)
            event.message.payload = [UInt8](repeating: 1, count: 2000)
            if store.append(event) { kept.append(sequence) }
        }
        #expect(store.degradation?.contains("full") == true)
        #expect(!kept.isEmpty)
        store.remove(kept)
        #expect(store.append(.test(sequence + 1)))
        #expect(store.degradation == nil)
        #expect(log.lines.count == 2)
    }

    @Test("the log is merged into the file now and then")
    func tidying() throws {
        let store = SQLiteEventStore(path: path, logger: .silent)
        for sequence: Int64 in 1...400 {
            store.append(.test(sequence))
            store.remove([sequence])
            store.tidy()
        }
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(try #require(size) < 4_000_000)
    }
}
