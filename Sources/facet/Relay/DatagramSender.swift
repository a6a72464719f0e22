import Glibc
import System

/// Sends datagrams to one address, whether a program listens there or not.
final class DatagramSender {
    let address: String

    private let descriptor: CInt
    private var isTold = false
    /// How often in a row sending worked: that no program listens is known from the answer to the datagram before.
    private var successes = 0

    /// Looks the address up.
    ///
    /// - Parameter address: `HOST:PORT`, or `[ADDRESS]:PORT`.
    /// - Throws: `CommandFailure` if it is none, or is unknown.
    init(to address: String) throws {
        self.address = address
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]),
            port > 0
        else {
            throw CommandFailure("'\(address)' is no address to send to: write HOST:PORT, such as 192.168.1.20:9000")
        }
        let host = address[..<colon].trimmingPrefix("[")
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(String(host.hasSuffix("]") ? host.dropLast() : host), String(port), &hints, &list)
        guard code == 0, let found = list?.pointee else {
            throw CommandFailure("cannot send to \(address): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        descriptor = socket(found.ai_family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, connect(descriptor, found.ai_addr, found.ai_addrlen) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure("cannot send to \(address): \(reason)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a datagram; if that fails, as where no program listens, it is lost, which is told once.
    func send(_ bytes: [UInt8]) {
        guard Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT)) < 0 else {
            successes += 1
            if successes > 1 { isTold = false }
            return
        }
        if !isTold { StandardOutput.note("\(address) does not take messages: \(String(cString: strerror(errno)))") }
        (isTold, successes) = (true, 0)
    }
}
