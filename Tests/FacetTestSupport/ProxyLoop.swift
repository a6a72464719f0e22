import Foundation

/// The proxy's thread: relays between pairs of sockets as its control says.
///
/// Confined to its thread.
///
/// `@unchecked Sendable` because it is handed over to that thread once, and used there only.
final class ProxyLoop: @unchecked Sendable {
    /// A client, its server, and the bytes of packets that are not complete yet.
    private struct Link {
        let client: Int32
        let server: Int32
        var fromClient: [UInt8] = []
        var fromServer: [UInt8] = []
        var clientEnded = false
        var serverEnded = false
    }

    private let listener: Int32
    private let wakeUp: Int32
    private var links: [Link] = []
    private var cuts = 0
    private var halfCloses = 0

    init(listener: Int32, wakeUp: Int32) {
        self.listener = listener
        self.wakeUp = wakeUp
    }

    /// Waits for something to do, and does it.
    func turn(control: TCPProxy.Control, change: ((inout TCPProxy.Control) -> Void) -> Void) {
        obey(control)
        var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
        polled.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
        if control.isPassing {
            for link in links {
                polled.append(pollfd(fd: link.clientEnded ? -1 : link.client, events: Int16(POLLIN), revents: 0))
                polled.append(pollfd(fd: link.serverEnded ? -1 : link.server, events: Int16(POLLIN), revents: 0))
            }
        }
        guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
        if polled[0].revents != 0 {
            // The change is seen by the next turn, before anything is relayed.
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = read(wakeUp, &bytes, bytes.count)
            return
        }
        if control.isPassing { relay(polled.dropFirst(2).map { $0.revents != 0 }, control: control, change: change) }
        if polled[1].revents != 0 { accept(control: control, change: change) }
    }

    func closeAll() {
        for link in links { drop(link) }
        close(listener)
    }

    private func obey(_ control: TCPProxy.Control) {
        if control.cuts != cuts {
            cuts = control.cuts
            for link in links { drop(link) }
            links = []
        }
        if control.halfCloses != halfCloses {
            halfCloses = control.halfCloses
            for index in links.indices {
                shutdown(links[index].client, Int32(SHUT_WR))
                links[index].serverEnded = true
            }
        }
    }

    private func accept(control: TCPProxy.Control, change: ((inout TCPProxy.Control) -> Void) -> Void) {
        let client = Foundation.accept(listener, nil, nil)
        guard client >= 0 else { return }
        change { $0.connections += 1 }
        guard control.isOpen, let server = try? LoopbackPort.connect(port: control.serverPort) else {
            close(client)
            return
        }
        for socket in [client, server] {
            var yes: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        links.append(Link(client: client, server: server))
    }

    private func relay(
        _ ready: [Bool],
        control: TCPProxy.Control,
        change: ((inout TCPProxy.Control) -> Void) -> Void
    ) {
        var kept: [Link] = []
        for (index, link) in links.enumerated() {
            var link = link
            var lives = true
            if ready[index * 2] {
                lives = move(.toServer, of: &link, control: control, change: change)
            }
            if lives, ready[index * 2 + 1] {
                lives = move(.toClient, of: &link, control: control, change: change)
            }
            if lives, !(link.clientEnded && link.serverEnded) { kept.append(link) } else { drop(link) }
        }
        links = kept
    }

    /// Relays what one side has sent; false when the link is to end.
    private func move(
        _ direction: TCPProxy.Direction,
        of link: inout Link,
        control: TCPProxy.Control,
        change: ((inout TCPProxy.Control) -> Void) -> Void
    ) -> Bool {
        let source = direction == .toServer ? link.client : link.server
        let sink = direction == .toServer ? link.server : link.client
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(source, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0, errno == EAGAIN { return true }
            shutdown(sink, Int32(SHUT_WR))
            if direction == .toServer { link.clientEnded = true } else { link.serverEnded = true }
            return count == 0
        }
        let bytes = Array(buffer.prefix(count))
        if direction == .toServer { change { $0.captured += bytes } }
        guard let filter = control.filter else { return write(bytes, to: sink) }
        let pending = (direction == .toServer ? link.fromClient : link.fromServer) + bytes
        var (packets, rest) = MQTTPackets.split(pending)
        if direction == .toServer { swap(&link.fromClient, &rest) } else { swap(&link.fromServer, &rest) }
        for packet in packets {
            switch filter(direction, packet) {
            case .pass: guard write(packet, to: sink) else { return false }
            case .swallow: continue
            case .cut: return false
            case .answer(let answer):
                _ = write(answer, to: source)
                shutdown(source, Int32(SHUT_WR))
                return true
            }
        }
        return true
    }

    private func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends both connections with a reset, as a crash would.
    private func drop(_ link: Link) {
        var option = linger(l_onoff: 1, l_linger: 0)
        for socket in [link.client, link.server] {
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            close(socket)
        }
    }
}
