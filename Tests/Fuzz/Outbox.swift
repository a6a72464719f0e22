import Foundation
import Logging

@testable import MQTT

/// The outbox's file, damaged by bytes and by SQL, opened as a daemon does.
enum DamagedOutbox {
    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    // In memory: an input must not wait for a disk.
    private static let directory = "/dev/shm/facet-outbox-\(getpid())"
    private static let path = directory + "/outbox.sqlite"
    private static let moment = DeliveryClock.Moment(wall: 1, uptime: 1, boot: "boot")
    private static let message = MQTTMessage(topic: "faces/smile", payload: Array("{}".utf8))

    /// The first byte says how the rest is used: even, as bytes of the file; odd, as values of cells.
    static let file: Target = { bytes in
        guard let first = bytes.first else { return }
        var file = sound
        if first & 1 == 0 { patch(&file, bytes.dropFirst()) }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            unlink(directory + "/" + name)
        }
        _ = FileManager.default.createFile(atPath: path, contents: file)
        if first & 1 == 1 { setCells(Array(bytes.dropFirst())) }
        guard let store = try? Outbox(path: path, logger: logger) else { return }
        let number = store.nextSequence()
        precondition(number > 0 && number <= 1 << 53, "events would get numbers that readers cannot represent")
        precondition(store.events.allSatisfy { $0.sequence < number }, "a number would be used twice")
        for event in store.events { _ = DeliveryClock.system.now().elapsed(since: event.time) }
        store.append(StoredEvent(sequence: number, time: moment, message: message))
        store.set([1], for: "faceID")
        store.remove(store.events.map(\.sequence))
        store.tidy()
    }

    /// Three bytes each say where, and what is there instead.
    private static func patch(_ file: inout Data, _ bytes: Slice<UnsafeRawBufferPointer>) {
        var rest = bytes
        while rest.count >= 3 {
            let place = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            file[place % file.count] = rest.removeFirst()
        }
    }

    /// Ten bytes each say which cell, of what type the value is, and the value.
    private static func setCells(_ bytes: [UInt8]) {
        let columns = [
            "sequence", "wall", "uptime", "boot", "topic", "payload", "contentType", "userProperties", "expiry",
        ]
        guard let connection = try? SQLiteConnection(path: path) else { return }
        try? connection.transaction {
            for start in stride(from: 0, to: bytes.count - 9, by: 10) {
                let value = value(bytes[start + 1], Array(bytes[start + 2..<start + 10]))
                let sql =
                    switch Int(bytes[start]) % 32 {
                    case 27: "UPDATE sqlite_sequence SET seq = ?"
                    case 28: "INSERT OR REPLACE INTO value VALUES ('faceID', ?)"
                    case 29: "INSERT OR REPLACE INTO value VALUES (?, x'00')"
                    case let cell:
                        "UPDATE OR IGNORE event SET \(columns[cell % 9]) = ? WHERE sequence = \(cell / 9 + 1)"
                    }
                // Some break a rule of the table.
                _ = try? connection.execute(sql, [value])
            }
        }
    }

    private static func value(_ type: UInt8, _ bytes: [UInt8]) -> SQLiteValue {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return switch type % 5 {
        case 0: .null
        case 1: .integer(Int64(bitPattern: number))
        case 2: .real(Double(bitPattern: number))
        case 3: .text(String(decoding: bytes, as: UTF8.self))
        default: .blob(bytes)
        }
    }

    /// The bytes of a file as the store writes it, with a few events and a value.
    private static let sound: Data = {
        _ = mkdir(directory, 0o700)
        let path = directory + "/sound.sqlite"
        do {
            guard let store = try? Outbox(path: path, logger: logger) else { return Data(count: 4096) }
            for _ in 0..<3 {
                store.append(StoredEvent(sequence: store.nextSequence(), time: moment, message: message))
            }
            store.set(Array("7".utf8), for: "faceID")
            store.tidy()
        }
        return FileManager.default.contents(atPath: path) ?? Data(count: 4096)
    }()
}
