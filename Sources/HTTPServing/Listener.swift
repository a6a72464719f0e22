import CMicroHTTPD
import Foundation

final class Listener: Sendable {
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
        guard bind(socket, address.ai_addr, address.ai_addrlen) == 0, listen(socket, 128) == 0 else {
            let code = errno
            close(socket)
            throw failed(code)
        }
        self.socket = socket
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &own) { bytes in
            _ = bytes.withMemoryRebound(to: sockaddr.self) { getsockname(socket, $0.baseAddress, &length) }
        }
        self.port = UInt16(Self.numeric(&own, length).port) ?? port
    }

    deinit { close(socket) }

    /// Accepts a connection and hands over its socket, which the body must close, with its address.
    ///
    /// - Returns: the system's error: `EAGAIN` if none waits; 0 if there was one.
    func accept(_ body: (Int32, UnsafePointer<sockaddr>, socklen_t, _ client: String) -> Void) -> Int32 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                guard let base = pointer.baseAddress else { return EINVAL }
                let socket = listener_accept(self.socket, base, &length)
                guard socket >= 0 else { return errno }
                body(socket, base, length, Self.numeric(UnsafeRawPointer(base), length).host)
                return 0
            }
        }
    }

    /// An address in numbers; one of version 4 that came to a socket of version 6 is written as version 4.
    private static func numeric(_ address: UnsafeRawPointer, _ length: socklen_t) -> (host: String, port: String) {
        var (host, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
        getnameinfo(
            address.assumingMemoryBound(to: sockaddr.self),
            length,
            &host,
            64,
            &port,
            8,
            NI_NUMERICHOST | NI_NUMERICSERV
        )
        func text(_ bytes: [CChar]) -> String {
            String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        let name = text(host)
        return (name.hasPrefix("::ffff:") ? String(name.dropFirst(7)) : name, text(port))
    }
}
