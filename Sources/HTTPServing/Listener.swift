import Foundation

final class Listener: Sendable {
    /// Bytes that the system keeps for a connection that is slower than a stream; it doubles them.
    private static let sendBuffer: Int32 = 128 * 1024

    /// The socket; -1 is never kept.
    let socket: Int32
    let port: UInt16

    /// Listens on a numeric address.
    ///
    /// - Throws: `HTTPServerError` if the system refuses it.
    init(host: String, port: UInt16) throws(HTTPServerError) {
        func failed(_ code: Int32 = errno) -> HTTPServerError {
            .cannotListen(host: host, port: port, reason: String(cString: strerror(code)))
        }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee else {
            throw failed(EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(address.ai_family, kind, 0)
        guard socket >= 0 else { throw failed() }
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var buffer = Self.sendBuffer
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket, address.ai_addr, address.ai_addrlen) == 0, listen(socket, 128) == 0 else {
            let code = errno
            close(socket)
            throw failed(code)
        }
        self.socket = socket
        self.port = UInt16(Self.numeric(socket, getsockname).port) ?? port
    }

    deinit { close(socket) }

    /// The end of a connection that `name`, which is `getsockname` or `getpeername`, says, in numbers; an address of version
    /// 4 that came to a socket of version 6 is written as version 4.
    static func numeric(
        _ socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> (host: String, port: String) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var (host, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                _ = name(socket, address.baseAddress, &length)
                let numbers = NI_NUMERICHOST | NI_NUMERICSERV
                getnameinfo(address.baseAddress, length, &host, 64, &port, 8, numbers)
            }
        }
        func text(_ bytes: [CChar]) -> String {
            String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (text(host).replacing(/^::ffff:/, with: ""), text(port))
    }
}
