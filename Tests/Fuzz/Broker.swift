import Dispatch
import Foundation
import Logging
import MQTT
import Synchronization

/// Readers of what a broker sends and of what the outbox's file holds.
enum Broker {
    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    /// What a server sends after CONNECT, through the real client: packets of MQTT 5 if the first byte is odd, after a
    /// good CONNACK if its second bit is set.
    static let mqtt: Target = { bytes in
        guard let first = bytes.first else { return }
        let isVersion5 = first & 1 == 1
        let acceptance: [UInt8] = isVersion5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        let server = answering
        server.answer.withLock { $0 = Data((first & 2 == 2 ? acceptance : []) + bytes.dropFirst()) }
        var settings = BrokerSettings(host: "127.0.0.1", port: server.port, clientID: "fuzz")
        settings.protocolPreference = isVersion5 ? .version5 : .version311
        settings.reconnectDelay = .seconds(20)...Duration.seconds(30)
        guard let client = try? BrokerConnection(settings: settings, logger: logger) else { return }
        try? client.subscribe("faces/#")
        client.publish(event: MQTTMessage(topic: "faces/smile", payload: [1]))
        let done = DispatchSemaphore(value: 0)
        Task {
            try? client.start()
            for await state in client.states {
                if case .connecting = state { continue }
                if case .connected = state { continue }
                break
            }
            _ = await client.stop(timeout: .zero)
            done.signal()
        }
        done.wait()
    }

    private static let answering = AnsweringServer { connection, answer in
        var packet = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &packet, packet.count, 0)
        AnsweringServer.send(answer, to: connection)
    }

    private static let directory = "/dev/shm/facet-outbox-\(getpid())"

    /// An outbox whose file was damaged: three bytes each say where, and what is there instead.
    static let outbox: Target = { bytes in
        mkdir(directory, 0o700)
        var file = sound
        for index in stride(from: 0, to: bytes.count - 2, by: 3) {
            let place = (Int(bytes[index]) << 8 | Int(bytes[index + 1])) % file.count
            file[place] = bytes[index + 2]
        }
        let path = directory + "/outbox.sqlite"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            unlink(directory + "/" + name)
        }
        _ = FileManager.default.createFile(atPath: path, contents: file)
        guard let store = try? SQLiteEventStore(path: path, logger: logger) else { return }
        let number = store.nextSequence()
        precondition(number > 0 && number <= 1 << 53, "events would get numbers that readers cannot represent")
        precondition(store.events().allSatisfy { $0.sequence < number }, "a number would be used twice")
        store.append(StoredEvent(sequence: number, time: moment, message: message))
        _ = store.value(for: "faceID")
        store.tidy()
    }

    private static let moment = DeliveryClock.Moment(wall: 1, uptime: 1, boot: "boot")
    private static let message = MQTTMessage(topic: "faces/smile", payload: Array("{}".utf8))

    /// The bytes of a file as the store writes it, with a few events and a value.
    private static let sound: Data = {
        mkdir(directory, 0o700)
        let path = directory + "/sound.sqlite"
        do {
            guard let store = try? SQLiteEventStore(path: path, logger: logger) else { return Data(count: 4096) }
            for _ in 0..<3 {
                store.append(
                    StoredEvent(sequence: store.nextSequence(), time: moment, message: message)
                )
            }
            store.set(Array("7".utf8), for: "faceID")
            store.tidy()
        }
        return FileManager.default.contents(atPath: path) ?? Data(count: 4096)
    }()
}
