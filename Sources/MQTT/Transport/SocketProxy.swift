/// Moves bytes between the network and libmosquitto, and checks incoming packets. Never blocks; used by one thread.
final class SocketProxy {
    private static let chunk = 65_536

    private let stream: ByteStream
    /// This program's end of libmosquitto's socket.
    private let inner: CInt
    private var inspector: PacketInspector
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: SocketProxy.chunk, alignment: 16)
    /// The bytes from libmosquitto that wait for the network.
    private var outgoing: ArraySlice<UInt8> = []
    private var incoming: ArraySlice<UInt8> = []
    private var isAtEnd = false
    private var isInnerAtEnd = false
    private var hasEnded = false
    /// The reason why the connection ended, if libmosquitto does not know it.
    private(set) var failure: (any Error)?

    /// Takes ownership of the stream and the socket.
    init(stream: ByteStream, inner: CInt, inspector: PacketInspector) {
        (self.stream, self.inner, self.inspector) = (stream, inner, inspector)
    }

    deinit {
        close(inner)
        buffer.deallocate()
    }

    /// The descriptors to poll and their events: the network's and `inner` (-1 once libmosquitto closed its end).
    var interests: [(descriptor: CInt, events: Int16)] {
        let reads = incoming.isEmpty && !isAtEnd ? POLLIN : 0
        let writes = outgoing.isEmpty && !stream.needsWriting ? 0 : POLLOUT
        let innerReads = outgoing.isEmpty ? POLLIN : 0
        let innerWrites = incoming.isEmpty ? 0 : POLLOUT
        return [(stream.socket, Int16(reads | writes)), (isInnerAtEnd ? -1 : inner, Int16(innerReads | innerWrites))]
    }

    /// Whether the network has taken all bytes that libmosquitto has written.
    var isFlushed: Bool { outgoing.isEmpty }

    /// Passes bytes from the network to libmosquitto; returns the number of messages left out as too large.
    func receive() -> Int {
        var oversized = 0
        // Only a few times, so that a flood of packets leaves the thread time for everything else.
        for _ in 0..<4 where incoming.isEmpty && !isAtEnd {
            do {
                guard let count = try stream.read(buffer) else { break }
                if count == 0 { isAtEnd = true }
                let result = try inspector.inspect(buffer[..<count])
                oversized += result.oversized
                incoming = result.packets[...]
            } catch {
                end(error)
            }
            forward()
        }
        forward()
        return oversized
    }

    private func end(_ error: any Error) {
        failure = failure ?? error
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

    /// Passes bytes from libmosquitto to the network.
    func flush() {
        do {
            while true {
                while !outgoing.isEmpty {
                    let count = try outgoing.withUnsafeBytes { try stream.write($0) }
                    guard count > 0 else { return }
                    outgoing.removeFirst(count)
                }
                let count = recv(inner, buffer.baseAddress, buffer.count, 0)
                if count == 0 { isInnerAtEnd = true }
                guard count > 0 else { return }
                outgoing = Array(buffer[..<count])[...]
            }
        } catch {
            outgoing = []
            // What came before the connection broke may say why, such as an alert of TLS.
            _ = receive()
            end(error)
            forward()
        }
    }

    /// Ends the connection in good order: all bytes written to the network are still delivered.
    func end() {
        hasEnded = true
        stream.end()
    }

    /// Discards the bytes that were not sent yet, so that they never arrive. Does nothing after `end`.
    func abandon() { if !hasEnded { stream.discardUnsentBytes() } }
}
