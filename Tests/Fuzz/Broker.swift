import Dispatch
import Foundation
import Logging
import Synchronization

@testable import MQTT

/// Readers of what a broker sends.
enum Broker {
    private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    /// The check of incoming packets: of MQTT 5 if the first byte is odd, with a small limit if its second bit is set.
    /// Packets that come byte by byte must give what they give at once.
    static let packets: Target = { bytes in
        guard let first = bytes.first else { return }
        let inspector = PacketInspector(isVersion5: first & 1 == 1, limit: first & 2 == 2 ? 40 : 1_000_000)
        let rest = bytes.dropFirst()
        let whole = result(of: inspector, [rest[...]])
        let single = result(of: inspector, rest.indices.map { rest[$0...$0] })
        precondition(whole == single, "the result depends on how the bytes arrive")
    }

    /// What an inspector lets through; nil if it ends the connection.
    private static func result(
        of inspector: PacketInspector,
        _ chunks: [Slice<UnsafeRawBufferPointer>]
    ) -> PacketInspector.Result? {
        var inspector = inspector
        var result = PacketInspector.Result()
        do throws(PacketInspector.Malformed) {
            for chunk in chunks {
                let part = try inspector.inspect(chunk)
                result.packets += part.packets
                result.oversized += part.oversized
            }
        } catch {
            return nil
        }
        return result
    }

    /// What a server sends after CONNECT, through the real client: packets of MQTT 5 if the first byte is odd, after a
    /// good CONNACK if its second bit is set.
    static let mqtt: Target = { bytes in
        guard let first = bytes.first else { return }
        let isVersion5 = first & 1 == 1
        let acceptance: [UInt8] = isVersion5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        let server = answering
        server.answer.withLock { $0 = Data((first & 2 == 2 ? acceptance : []) + bytes.dropFirst()) }
        var settings = BrokerSettings(host: "127.0.0.1", port: server.port, clientID: "fuzz")
        settings.version = isVersion5 ? .version5 : .version311
        settings.reconnectDelay = .seconds(20)...Duration.seconds(30)
        guard let client = try? BrokerConnection(settings: settings, logger: logger) else { return }
        try? client.subscribe("faces/#")
        client.publish(event: MQTTMessage(topic: "faces/smile", payload: [1]))
        let done = DispatchSemaphore(value: 0)
        Task {
            try? client.start()
            _ = await client.occurrences.first { $0.state.map { $0 != .connecting && !$0.isConnected } ?? false }
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
}
