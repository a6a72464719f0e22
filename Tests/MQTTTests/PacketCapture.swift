import Glibc

/// Records what goes over any network interface of this machine, the loopback included; for root only.
final class PacketCapture {
    private let descriptor: CInt

    /// Whether this process may.
    static let isPermitted = PacketCapture() != nil

    init?() {
        // AF_PACKET and ETH_P_ALL, which Swift's Glibc module lacks.
        descriptor = socket(17, CInt(SOCK_RAW.rawValue) | CInt(SOCK_NONBLOCK.rawValue), CInt(UInt16(3).bigEndian))
        guard descriptor >= 0 else { return nil }
        // SO_RCVBUFFORCE: other tests' traffic must not push ours out before it is read.
        var size: CInt = 256 << 20
        setsockopt(descriptor, SOL_SOCKET, 33, &size, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close(descriptor) }

    /// All that was recorded since the last call.
    func take() -> [UInt8] {
        var all: [UInt8] = []
        var packet = [UInt8](repeating: 0, count: 65_536 + 64)
        while true {
            let count = recv(descriptor, &packet, packet.count, 0)
            guard count > 0 else { return all }
            all += packet[..<count]
        }
    }
}

/// Sends datagrams to this machine, which nothing receives.
final class UDPSender {
    private let descriptor: CInt

    init?() {
        descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = sendto(descriptor, text, text.utf8.count, 0, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
