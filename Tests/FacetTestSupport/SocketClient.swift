import Foundation

/// A connection to a server on this machine that sends and receives raw bytes.
package final class SocketClient: Sendable {
    private let socket: Int32

    package init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(socket) }

    /// Sends a text.
    ///
    /// - Returns: false if the server closed the connection.
    @discardableResult
    package func send(_ text: String) -> Bool { send(bytes: Array(text.utf8)) }

    /// Sends bytes.
    ///
    /// - Returns: false if the server closed the connection.
    @discardableResult
    package func send(bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Receives what comes next, at most `limit` bytes; empty at the end.
    package func receive(atMost limit: Int = 65536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = read(socket, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Receives until some text has come, or the server closes the connection.
    package func receive(until text: String) -> String {
        var all = ""
        while !all.contains(text) {
            let part = receive()
            if part.isEmpty { return all }
            all += String(decoding: part, as: UTF8.self)
        }
        return all
    }

    /// All that comes until the server closes the connection.
    package func receiveAll() -> String {
        var all: [UInt8] = []
        while true {
            let part = receive()
            if part.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += part
        }
    }

    /// Receives exactly `count` bytes.
    package func receive(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = receive(atMost: min(65536, count - bytes.count))
            guard !more.isEmpty else { throw POSIXError(.ECONNRESET) }
            bytes += more
        }
        return bytes
    }
}
