import FaceMessages
import Frames
import Glibc
import System

/// Sends datagrams to one address, whether a program listens there or not.
final class DatagramSender {
    let address: String

    private let descriptor: CInt
    private var isReported = false
    /// How often in a row sending worked: that no program listens is known from the answer to the datagram before.
    private var successes = 0

    /// Looks the address up.
    ///
    /// - Parameter address: `HOST:PORT`, or `[ADDRESS]:PORT`.
    /// - Throws: `CommandFailure` if it is none, or is unknown.
    init(to address: String) throws {
        self.address = address
        guard let place = HostAndPort(address), let port = place.port else {
            throw CommandFailure("'\(address)' is no address to send to: write HOST:PORT, such as 192.168.1.20:9000")
        }
        let found: SocketAddress
        do {
            found = try SocketAddress.all(of: place.host, port: Int(port))[0]
        } catch {
            throw CommandFailure("cannot send to \(address): \(error.reason)")
        }
        descriptor = socket(found.family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, found.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure("cannot send to \(address): \(reason)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a datagram; one that cannot be sent, as where no program listens, is dropped. That is reported once.
    func send(_ bytes: [UInt8]) {
        guard Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT)) < 0 else {
            successes += 1
            if successes > 1 { isReported = false }
            return
        }
        if !isReported { StandardOutput.note("\(address) does not take messages: \(String(cString: strerror(errno)))") }
        (isReported, successes) = (true, 0)
    }
}
