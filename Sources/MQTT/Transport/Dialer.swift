extension SocketAddress {
    /// Returns the addresses in the order in which to try them: IPv4 and IPv6 alternate, beginning with the family of
    /// the first address (RFC 8305 §4). Those in `failed` come last, the oldest failure first.
    static func ordered(_ addresses: [SocketAddress], failed: [SocketAddress]) -> [SocketAddress] {
        let first = addresses.filter { $0.family == addresses[0].family }
        let second = addresses.filter { $0.family != addresses[0].family }
        let ordered = addresses.indices.flatMap { index in
            [first, second].compactMap { $0.dropFirst(index).first }
        }
        return ordered.filter { !failed.contains($0) } + failed.filter(ordered.contains)
    }
}

/// Connects to a host through whichever of its addresses answers first (RFC 8305, "happy eyeballs").
///
/// The next address is tried after a quarter of a second without an answer, or at once after a refusal. Used by the
/// network thread only, which calls `advance` at the time `wake`, or earlier if a socket becomes writable.
final class Dialer {
    enum Progress {
        case pending
        /// The connection is made; the caller owns the socket.
        case connected(CInt, SocketAddress)
        case failed(String)
    }

    /// The delay between attempts that RFC 8305 §5 recommends, in nanoseconds.
    private static let stagger: Int64 = 250_000_000

    /// The result of a name look-up: addresses, or the reason why there are none; nil while the look-up runs.
    private typealias Lookup = Result<[SocketAddress], SocketAddress.LookupError>?

    /// The name look-up in progress; nil once the addresses are known.
    private var lookup: Monitor<Lookup>?
    private var waiting: ArraySlice<SocketAddress> = []
    private var attempts: [(socket: CInt, address: SocketAddress)] = []
    private var nextStart: Int64 = 0
    private var failures: [(address: String, reason: String)] = []

    /// Looks up a host and tries its addresses, those in `failed` last; throws `SystemError` if no thread can be made.
    init(_ endpoint: BrokerSettings.Endpoint, failed: [SocketAddress], waker: Waker) throws(SystemError) {
        let lookup = Monitor<Lookup>(nil)
        // On a thread of its own, because a resolver may block for long.
        _ = try JoinableThread(named: "mqtt-dns") {
            let found = Result { () throws(SocketAddress.LookupError) in
                try SocketAddress.ordered(SocketAddress.all(of: endpoint.host, port: endpoint.port), failed: failed)
            }
            lookup.update { $0 = found }
            waker.wake()
        }
        self.lookup = lookup
    }

    init(_ addresses: [SocketAddress]) { waiting = addresses[...] }

    deinit { for attempt in attempts { close(attempt.socket) } }

    /// The connecting sockets, to be polled until they are writable.
    var sockets: [CInt] { attempts.map(\.socket) }

    /// The time by which `advance` must be called again, in monotonic nanoseconds.
    var wake: Int64 { waiting.isEmpty ? .max : nextStart }

    /// The addresses that were tried and have not answered, for messages to people.
    var unanswered: String { attempts.map(\.address.host).joined(separator: ", ") }

    func advance(now: Int64) -> Progress {
        if let lookup {
            switch lookup.read(\.self) {
            case nil: return .pending
            case .failure(let error): return .failed(error.reason)
            case .success(let addresses): waiting = addresses[...]
            }
            self.lookup = nil
        }
        if let connected = firstConnected() { return connected }
        while let address = waiting.first, now >= nextStart || attempts.isEmpty {
            waiting.removeFirst()
            nextStart = now + Self.stagger
            start(address)
        }
        if attempts.isEmpty { return .failed(reasons) }
        return .pending
    }

    private var reasons: String {
        if failures.count == 1 { return failures[0].reason }
        return failures.map { "\($0.address): \($0.reason)" }.joined(separator: ", ")
    }

    private func firstConnected() -> Progress? {
        for (index, attempt) in attempts.enumerated().reversed() {
            var state = pollfd(fd: attempt.socket, events: Int16(POLLOUT), revents: 0)
            guard poll(&state, 1, 0) > 0 else { continue }
            attempts.remove(at: index)
            var code: CInt = 0
            var length = socklen_t(MemoryLayout<CInt>.size)
            getsockopt(attempt.socket, SOL_SOCKET, SO_ERROR, &code, &length)
            guard code != 0 else { return .connected(attempt.socket, attempt.address) }
            close(attempt.socket)
            note(attempt.address, code)
        }
        return nil
    }

    private func start(_ address: SocketAddress) {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let socket = socket(address.family, kind, 0)
        guard socket >= 0 else { return note(address, errno) }
        var yes: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
        let code = address.withPointer { connect(socket, $0, $1) }
        guard code == 0 || errno == EINPROGRESS else {
            note(address, errno)
            close(socket)
            return
        }
        attempts.append((socket, address))
    }

    private func note(_ address: SocketAddress, _ code: CInt) {
        failures.append((address.host, String(cString: strerror(code))))
        nextStart = 0
    }
}
