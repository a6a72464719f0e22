import CMosquitto
import Glibc

extension MosquittoHandle {
    /// Has OpenSSL read the certificates and keys now, rather than at the first connection.
    ///
    /// libmosquitto reads them only when it connects. So it connects to a socket of ours on the loopback interface,
    /// which never answers: the greeting of TLS without any user data is all that could get there.
    static func checkTLS(_ tls: TLSSettings) throws(MQTTError) {
        var settings = BrokerSettings(host: "127.0.0.1", clientID: "check", tls: tls)
        let listener = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw .resources("check the TLS settings", String(cString: strerror(errno))) }
        defer { close(listener) }
        guard let port = listen(on: listener) else {
            throw .resources("check the TLS settings", String(cString: strerror(errno)))
        }
        settings.port = port
        let handle = try MosquittoHandle(settings: settings, version: .version311, cleanStart: true)
        do {
            try handle.connect(settings, to: .each)
        } catch {
            throw .tls(error.tlsText)
        }
    }

    /// Binds a socket to a free loopback port and listens.
    private static func listen(on socket: CInt) -> Int? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(socket, generic, length) == 0, Glibc.listen(socket, 1) == 0,
                    getsockname(socket, generic, &length) == 0
                else { return nil }
                return Int(UInt16(bigEndian: pointer.pointee.sin_port))
            }
        }
    }
}
