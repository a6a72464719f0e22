import CMosquitto
import Glibc

/// Moves bytes between the network and libmosquitto, and checks what comes in on the way.
///
/// Confined to the network thread; nothing in it blocks.
final class Relay {
    private static let chunk = 65_536

    private let stream: ByteStream
    /// Our end of libmosquitto's socket.
    private let inner: CInt
    private var inspector: PacketInspector
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Relay.chunk, alignment: 16)
    /// Bytes that wait for the network, and for libmosquitto.
    private var outgoing: ArraySlice<UInt8> = []
    private var incoming: ArraySlice<UInt8> = []
    private var isAtEnd = false
    private var hasEnded = false
    /// Why the connection ended, where libmosquitto would not know.
    private(set) var failure: String?
    /// Whether it ended because of what the broker sent.
    private(set) var isMalformed = false

    /// Takes both over.
    init(stream: ByteStream, inner: CInt, inspector: PacketInspector) {
        self.stream = stream
        self.inner = inner
        self.inspector = inspector
    }

    deinit {
        close(inner)
        buffer.deallocate()
    }

    /// The descriptors to poll, with the events of interest.
    var interests: [(descriptor: CInt, events: Int16)] {
        let reads = incoming.isEmpty && !isAtEnd ? POLLIN : 0
        let writes = outgoing.isEmpty && !stream.needsWriting ? 0 : POLLOUT
        return [(stream.socket, Int16(reads | writes)), (inner, incoming.isEmpty ? 0 : Int16(POLLOUT))]
    }

    /// Whether the network has everything that was handed over.
    var isFlushed: Bool { outgoing.isEmpty }

    /// Takes what came from the network to libmosquitto.
    ///
    /// - Returns: how many messages were too large and are dropped.
    func receive() -> Int {
        var oversized = 0
        // A limited number of times, so that a flood does not keep the thread from everything else.
        for _ in 0..<4 where incoming.isEmpty && !isAtEnd {
            do {
                guard let count = try stream.read(buffer) else { break }
                if count == 0 { isAtEnd = true }
                let result = try inspector.take(buffer[..<count])
                oversized += result.oversized
                incoming = result.packets[...]
            } catch let error as PacketInspector.Malformed {
                isMalformed = isMalformed || failure == nil
                end("the broker sent \(error.reason)")
            } catch {
                end(Self.text(error))
            }
            forward()
        }
        forward()
        return oversized
    }

    private func end(_ reason: String) {
        failure = failure ?? reason
        isAtEnd = true
    }

    private func forward() {
        while !incoming.isEmpty {
            let count = incoming.withUnsafeBytes { send(inner, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            incoming.removeFirst(count)
        }
        // libmosquitto reads everything before it finds the end.
        if isAtEnd { shutdown(inner, CInt(SHUT_WR)) }
    }

    /// Takes what libmosquitto wrote to the network.
    func flush() {
        while true {
            while !outgoing.isEmpty {
                do {
                    let count = try stream.write(outgoing)
                    guard count > 0 else { return }
                    outgoing.removeFirst(count)
                } catch {
                    outgoing = []
                    end(Self.text(error))
                    forward()
                    return
                }
            }
            let count = recv(inner, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return }
            outgoing = Array(buffer[..<count])[...]
        }
    }

    /// Ends the connection so that what was written still arrives.
    func end() {
        hasEnded = true
        stream.end()
    }

    /// Ends it so that nothing arrives any more, unless it has ended already.
    func abandon() {
        if !hasEnded { stream.discardUnsentBytes() }
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case ByteStream.Failure.broken(let reason), ByteStream.Failure.untrusted(let reason): reason
        default: "\(error)"
        }
    }
}

/// Listens on a free loopback port for one connection of this process.
struct LoopbackListener: ~Copyable {
    let port: Int
    private let descriptor: CInt

    init() throws(MQTTError) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let socket = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = Self.withGeneric(&address) { generic in
            socket >= 0 && bind(socket, generic, length) == 0 && listen(socket, 4) == 0
                && getsockname(socket, generic, &length) == 0
        }
        guard isListening else {
            let code = errno
            if socket >= 0 { close(socket) }
            throw .resources("listen on the loopback interface", String(cString: strerror(code)))
        }
        descriptor = socket
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
    }

    /// Accepts the connection that `socket` of this process has made, and no other program's.
    func accept(from socket: CInt) throws(MQTTError) -> CInt {
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = Self.withGeneric(&own) { getsockname(socket, $0, &length) }
        for _ in 0..<8 {
            var peer = sockaddr_in()
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let accepted = Self.withGeneric(&peer) {
                socket_accept(descriptor, $0, &length)
            }
            guard accepted >= 0 else { break }
            if peer.sin_port == own.sin_port {
                var yes: CInt = 1
                setsockopt(accepted, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
                return accepted
            }
            close(accepted)
        }
        throw .resources("connect on the loopback interface", String(cString: strerror(errno)))
    }

    private static func withGeneric<Result>(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
