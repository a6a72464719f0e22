import Glibc
import System

/// A socket that clients connect to.
final class Listener: Sendable {
    /// Bytes that the system keeps for a connection that is slower than a stream; it doubles them.
    private static let sendBuffer: Int32 = 128 * 1024
    /// The socket; -1 is never kept.
    let socket: Int32
    let port: UInt16

    /// Listens on a numeric address; throws `HTTPServerError` if the system refuses it.
    init(host: String, port: UInt16) throws(HTTPServerError) {
        func failed(_ code: Int32 = errno) -> HTTPServerError {
            .cannotListen(host: host, port: port, reason: String(cString: strerror(code)))
        }
        guard let address = try? SocketAddress.all(of: host, port: Int(port), isNumeric: true)[0] else {
            throw failed(EADDRNOTAVAIL)
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(address.family, kind, 0)
        guard socket >= 0 else { throw failed() }
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var buffer = Self.sendBuffer
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
        guard address.withPointer({ bind(socket, $0, $1) }) == 0, listen(socket, 128) == 0 else {
            let code = errno
            close(socket)
            throw failed(code)
        }
        self.socket = socket
        self.port = UInt16(SocketAddress(of: socket, getsockname).port) ?? port
    }

    deinit { close(socket) }
}
