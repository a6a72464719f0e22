import Foundation

/// TCP ports on the loopback interface.
public enum LoopbackPort {
    /// Below the ports that Linux gives to connections (`ip_local_port_range`, 32768 to 60999 by default): one of those
    /// could be taken while a broker that is to come back on its port is down.
    private static let lasting = 10_240..<32_768

    /// Finds a port that no program listens on now.
    public static func free() throws -> Int {
        let (socket, port) = try listener()
        close(socket)
        return port
    }

    /// A socket that listens on a free port, and the port.
    public static func listener(backlog: Int32 = 16) throws -> (socket: Int32, port: Int) {
        for _ in 0..<100 {
            if let found = try? listener(port: .random(in: lasting), backlog: backlog) { return found }
        }
        return try listener(port: 0, backlog: backlog)
    }

    /// A socket that listens on `port`, and the port; 0 lets the system choose one.
    public static func listener(port: Int, backlog: Int32 = 16) throws -> (socket: Int32, port: Int) {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = self.address(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(socket, generic, length) == 0 && listen(socket, backlog) == 0
                    && getsockname(socket, generic, &length) == 0
            }
        }
        guard isListening else {
            let code = errno
            close(socket)
            throw POSIXError(.init(rawValue: code) ?? .EIO)
        }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection to a port.
    static func connect(port: Int) throws -> Int32 {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var address = self.address(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Foundation.connect(socket, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let code = errno
            close(socket)
            throw POSIXError(.init(rawValue: code) ?? .EIO)
        }
        return socket
    }

    /// A socket that connects to a port in its own time.
    static func startConnecting(port: Int) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Foundation.socket(AF_INET, kind, 0)
        var address = self.address(port: port)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Foundation.connect(socket, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return socket
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }
}
