import Foundation

/// A Unix datagram socket that collects what is sent to it, as a service manager's.
public final class DatagramReceiver: Sendable {
    /// What to put into `NOTIFY_SOCKET`.
    public let name: String
    private let directory: TemporaryDirectory
    private let descriptor: Int32
    private let received: AsyncStream<String>

    /// Opens a socket in a directory of its own, or in the abstract namespace.
    public init(isAbstract: Bool = false) throws {
        directory = try TemporaryDirectory()
        name = isAbstract ? "@facet-test-\(UUID())" : directory.file("notify")
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if isAbstract { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + bytes.count)
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.descriptor = descriptor
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        received = stream
        Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                continuation.yield(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
            continuation.finish()
            close(descriptor)
        }.start()
    }

    deinit {
        // Ends the thread's wait; closing alone would not.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The datagrams up to and including the first one with this text; all there are, if it never comes.
    public func datagrams(until text: String) async -> [String] {
        var all: [String] = []
        for await datagram in received {
            all.append(datagram)
            if datagram == text { break }
        }
        return all
    }
}
