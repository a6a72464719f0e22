import FacetTestSupport
import Foundation
import Synchronization

/// A server that behaves as a test says, packet by packet.
final class FakeBroker: Sendable {
    /// What the server does with a packet.
    enum Reaction: Sendable {
        /// Sends bytes; none keeps silent.
        case send([UInt8])
        /// Sends bytes one at a time, with a pause after each.
        case drip([UInt8])
        /// Closes the connection.
        case close
    }

    /// A request for a connection.
    struct Request: Hashable, Sendable {
        /// 5, or 4 for MQTT 3.1.1.
        let version: UInt8
        let cleanStart: Bool
    }

    let port: Int
    private let listener: Int32
    private let seen = Mutex<[Request]>([])

    /// Listens on a free loopback port; `react` gets each packet with its connection's request.
    init(_ react: @escaping @Sendable (Request, [UInt8]) -> Reaction) throws {
        (listener, port) = try LoopbackPort.listener()
        Thread.detachNewThread { [self, listener] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                Thread.detachNewThread { self.serve(socket, react) }
            }
        }
    }

    /// Ends the server, but not the connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The requests so far.
    var requests: [Request] { seen.withLock(\.self) }

    /// What a well-behaved broker answers to anything but a request for a connection.
    static func answer(to packet: [UInt8], version: UInt8) -> [UInt8] {
        let body = packet.dropFirst(2)
        switch packet[0] >> 4 {
        case 1: return version == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
        case 3 where packet[0] & 0x06 != 0:
            let length = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
            return [0x40, 2] + body.dropFirst(2 + length).prefix(2)
        case 8: return version == 5 ? [0x90, 4] + body.prefix(2) + [0, 0] : [0x90, 3] + body.prefix(2) + [0]
        case 10: return version == 5 ? [0xB0, 4] + body.prefix(2) + [0, 0] : [0xB0, 2] + body.prefix(2)
        case 12: return [0xD0, 0]
        default: return []
        }
    }

    private func serve(_ socket: Int32, _ react: (Request, [UInt8]) -> Reaction) {
        defer { close(socket) }
        var request = Request(version: 0, cleanStart: false)
        while let packet = Self.packet(from: socket) {
            if packet[0] >> 4 == 1, packet.count > 9 {
                request = Request(version: packet[8], cleanStart: packet[9] & 2 != 0)
                seen.withLock { $0.append(request) }
            }
            switch react(request, packet) {
            case .send(let bytes): send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            case .drip(let bytes):
                for byte in bytes {
                    send(socket, [byte], 1, Int32(MSG_NOSIGNAL))
                    usleep(2000)
                }
            case .close: return
            }
        }
    }

    /// Packets of up to 127 bytes are all that the tests send.
    private static func packet(from socket: Int32) -> [UInt8]? {
        var header: [UInt8] = [0, 0]
        guard recv(socket, &header, 2, Int32(MSG_WAITALL)) == 2 else { return nil }
        var body = [UInt8](repeating: 0, count: Int(header[1]))
        guard body.isEmpty || recv(socket, &body, body.count, Int32(MSG_WAITALL)) == body.count else {
            return nil
        }
        return header + body
    }
}
