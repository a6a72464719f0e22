import Glibc
import Synchronization
import System

struct SocketAddress: Hashable, Sendable {
    let isIPv6: Bool
    /// As numbers, such as `127.0.0.1` or `::1`.
    let text: String
    fileprivate let bytes: [UInt8]

    /// The order in which to try addresses: the families in turn, beginning with that of the first (RFC 8305 §4), and
    /// those last that have failed, in the order of their failures.
    static func ordered(_ addresses: [SocketAddress], failed: [SocketAddress]) -> [SocketAddress] {
        var families = [true, false].map { isIPv6 in addresses.filter { $0.isIPv6 == isIPv6 }[...] }
        if addresses.first?.isIPv6 == false { families.swapAt(0, 1) }
        var ordered: [SocketAddress] = []
        while !families[0].isEmpty || !families[1].isEmpty {
            for index in 0...1 { if let address = families[index].popFirst() { ordered.append(address) } }
        }
        return ordered.filter { !failed.contains($0) } + failed.filter(ordered.contains)
    }

    /// All addresses of a host; blocks until its name is resolved.
    static func all(of endpoint: BrokerSettings.Endpoint) -> Result<[SocketAddress], Dialer.Unresolved> {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            return .failure(.init(reason: "the name \(endpoint.host) cannot be resolved (\(reason))"))
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry -> SocketAddress? in
            guard let info = entry?.pointee, let address = info.ai_addr, [AF_INET, AF_INET6].contains(info.ai_family)
            else { return nil }
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            getnameinfo(address, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            return SocketAddress(
                isIPv6: info.ai_family == AF_INET6,
                text: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
            )
        }
        return addresses.isEmpty
            ? .failure(.init(reason: "the name \(endpoint.host) has no address")) : .success(addresses)
    }
}

/// Looks up a host's addresses on a thread of its own: a resolver may block for long.
private final class Lookup: Sendable {
    let outcome = Mutex<Result<[SocketAddress], Dialer.Unresolved>?>(nil)

    init(_ endpoint: BrokerSettings.Endpoint, waker: Waker) throws(ThreadError) {
        _ = try JoinableThread(named: "mqtt-dns") { [self] in
            let found = SocketAddress.all(of: endpoint)
            outcome.withLock { $0 = found }
            waker.wake()
        }
    }
}

/// Connects to one host through whichever of its addresses answers first (RFC 8305, "happy eyeballs").
///
/// An address that swallows packets holds up the next one by a quarter of a second, one that refuses by nothing.
/// Confined to the network thread; `poll` over `sockets` and `wake` says when to call `advance`.
final class Dialer {
    /// Why a host has no address.
    struct Unresolved: Error {
        let reason: String
    }

    enum Progress {
        case pending
        /// Connected; the socket is the caller's.
        case connected(CInt, SocketAddress)
        case failed(String)
    }

    /// The recommended delay between attempts (RFC 8305 §5), in nanoseconds.
    private static let stagger: Int64 = 250_000_000

    /// Nil once the addresses are known.
    private var lookup: Lookup?
    private let failed: [SocketAddress]
    private var waiting: ArraySlice<SocketAddress> = []
    private var attempts: [(socket: CInt, address: SocketAddress)] = []
    private var nextStart: Int64 = 0
    private var failures: [(address: String, reason: String)] = []

    /// Looks up a host and tries its addresses, those that have `failed` last.
    ///
    /// - Throws: `MQTTError.resources` when the system has no thread left.
    init(_ endpoint: BrokerSettings.Endpoint, failed: [SocketAddress], waker: Waker) throws(ThreadError) {
        lookup = try Lookup(endpoint, waker: waker)
        self.failed = failed
    }

    init(_ addresses: [SocketAddress]) {
        waiting = addresses[...]
        failed = []
    }

    deinit {
        for attempt in attempts { close(attempt.socket) }
    }

    /// The sockets whose becoming writable is of interest.
    var sockets: [CInt] { attempts.map(\.socket) }

    /// When `advance` has to be called next at the latest; timers' clock.
    var wake: Int64 { waiting.isEmpty ? .max : nextStart }

    /// Which addresses have not answered, for people.
    var unanswered: String { attempts.map(\.address.text).joined(separator: ", ") }

    func advance(now: Int64) -> Progress {
        if let lookup {
            switch lookup.outcome.withLock(\.self) {
            case nil: return .pending
            case .failure(let error): return .failed(error.reason)
            case .success(let addresses): waiting = SocketAddress.ordered(addresses, failed: failed)[...]
            }
            self.lookup = nil
        }
        if let connected = takeConnected() { return connected }
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

    private func takeConnected() -> Progress? {
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
        let socket = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard socket >= 0 else { return note(address, errno) }
        var yes: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
        let code = address.bytes.withUnsafeBytes { bytes in
            connect(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard code == 0 || errno == EINPROGRESS else {
            note(address, errno)
            close(socket)
            return
        }
        attempts.append((socket, address))
    }

    private func note(_ address: SocketAddress, _ code: CInt) {
        failures.append((address.text, String(cString: strerror(code))))
        nextStart = 0
    }
}
