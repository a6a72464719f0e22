import CMicroHTTPD
import System

/// An HTTP server for few clients on one thread, with limits on everything that a client can send or keep.
///
/// libmicrohttpd accepts connections, reads requests and writes answers. This class decides which connections stay,
/// because the library stops accepting at its limit and has no time limit for a request. It is `@unchecked Sendable`
/// because only `stop` and `ready` may be called from any thread, and they touch nothing that `run` changes.
package final class HTTPServer: @unchecked Sendable {
    /// The server's address, certificate and limits.
    package struct Options: Sendable {
        /// The numeric address to listen on.
        package var host: String
        /// The port to listen on; 0 for any that is free.
        package var port: UInt16
        /// The certificate chain and the private key in PEM; nil for plain HTTP.
        package var tls: (certificate: String, key: String)?
        /// The maximum number of simultaneous connections; lowered if the process may not open enough files.
        package var connections = 512
        /// The maximum time for a request and its answer, in seconds; a stream may take longer.
        package var patience = 10.0
        package var longestBody = 4096

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    package typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    package let port: UInt16
    /// How many connections libmicrohttpd accepts above `ConnectionTable.limit` while older ones are closed to make
    /// room. With still more, it stops accepting, so that every new client would have to wait.
    private static let reserve = 128
    /// The memory, in bytes, of each connection for the request's head and for output that waits to be sent.
    static let memory = 32 * 1024
    /// How long a stream is kept open while its client reads nothing, in seconds.
    private static let streamPatience: UInt32 = 30
    /// The requested size of each socket's send buffer, in bytes, which the kernel doubles. A slow reader fills it.
    private static let sendBuffer: Int32 = 128 * 1024

    let options: Options
    let handler: Handler
    private let waker: Waker
    private let inbox = Mutex(Inbox())
    // Only the thread in `run` uses the following properties.
    private var server: OpaquePointer?
    var table: ConnectionTable
    var streams: [Int: StreamedAnswer] = [:]
    var streamCount = 0
    private let start = ContinuousClock.now

    /// The messages from other threads to the thread that executes `run`.
    private struct Inbox {
        /// The numbers of the streams that have something to send.
        var ready: Set<Int> = []
        var isOver = false
    }

    /// Opens the listening socket. `run` then answers the clients. `handler` is called on the server's thread, which it
    /// must not block. Throws `HTTPServerError` if the server cannot listen or start.
    package init(_ options: Options, handler: @escaping Handler) throws(HTTPServerError) {
        self.options = options
        self.handler = handler
        do { waker = try Waker() } catch { throw .cannotStart(hasCertificate: false) }
        // The library closes this socket when the server ends.
        let socket = try Self.listeningSocket(host: options.host, port: options.port)
        port = UInt16(SocketAddress(of: socket, getsockname).port) ?? options.port
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        // Half of the files that the process may open are left for everything else.
        let limit = min(options.connections, max(16, Int(clamping: files.rlim_cur) / 2))
        table = ConnectionTable(limit: limit, patience: options.patience)
        let context = Unmanaged.passUnretained(self).toOpaque()
        server = http_start(
            { context, connection, url, method, _, data, size, state in
                guard let server = HTTPServer.of(context), let connection, let size, let state else { return .NO }
                return server.receive(connection, url, method, data, size, state)
            },
            { context, connection, state, _ in
                guard let connection, let pointer = state?.pointee else { return }
                state?.pointee = nil
                Unmanaged<PartialRequest>.fromOpaque(pointer).release()
                guard let server = HTTPServer.of(context) else { return }
                server.table.restart(http_socket(connection), at: server.seconds)
            },
            { context, connection, _, code in
                guard let connection, let server = HTTPServer.of(context) else { return }
                let socket = http_socket(connection)
                if code == .CONNECTION_NOTIFY_STARTED { server.opened(socket) } else { server.table.remove(socket) }
            },
            context,
            socket,
            UInt32(limit + Self.reserve),
            Self.memory,
            Self.streamPatience,
            options.tls?.certificate,
            options.tls?.key
        )
        guard server != nil else { throw .cannotStart(hasCertificate: options.tls != nil) }
    }

    deinit { end() }

    private static func listeningSocket(host: String, port: UInt16) throws(HTTPServerError) -> Int32 {
        func failed(_ code: Int32 = errno) -> HTTPServerError {
            .cannotListen(host: host, port: port, reason: String(cString: strerror(code)))
        }
        guard let address = try? SocketAddress.all(of: host, port: Int(port), isNumeric: true)[0] else {
            throw failed(EADDRNOTAVAIL)
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = socket(address.family, kind, 0)
        guard socket >= 0 else { throw failed() }
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, [Int32(1)], size)
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, [sendBuffer], size)
        guard address.withPointer({ bind(socket, $0, $1) }) == 0, listen(socket, 128) == 0 else {
            let code = errno
            close(socket)
            throw failed(code)
        }
        return socket
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
        context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    /// Answers clients and blocks the thread until `stop` is called. Must be called only once.
    package func run() {
        defer { end() }
        while let server {
            let timeout = http_timeout(server)
            let pauses = [table.pause(at: seconds), timeout < 0 ? nil : Double(timeout) / 1000].compactMap(\.self)
            let nanoseconds = pauses.min().map { Int64($0 * 1e9) } ?? .max
            _ = waker.wait([(http_event_descriptor(server), Int16(POLLIN))], nanoseconds: nanoseconds)
            let (ready, isOver) = inbox.withLock { (exchange(&$0.ready, with: []), $0.isOver) }
            guard !isOver else { return }
            for stream in ready { streams[stream]?.resume() }
            for socket in table.closeOverdue(at: seconds) { shutdown(socket, Int32(SHUT_RDWR)) }
            MHD_run(server)
        }
    }

    /// Ends `run`, whatever clients are doing. May be called from any thread.
    package func stop() {
        inbox.withLock { $0.isOver = true }
        waker.wake()
    }

    /// Notes that the stream with this number has something to send. May be called from any thread.
    func ready(_ stream: Int) {
        inbox.withLock { _ = $0.ready.insert(stream) }
        waker.wake()
    }

    private func end() {
        guard let server else { return }
        self.server = nil
        // The library cannot stop while a connection is suspended.
        for stream in streams.values { stream.resume() }
        MHD_stop_daemon(server)
    }

    /// Adds a connection. At the limit, closes an older one to make room, or the new one if no other can be closed.
    private func opened(_ socket: Int32) {
        if table.isFull {
            let oldest = table.closeOldest()
            shutdown(oldest ?? socket, Int32(SHUT_RDWR))
            guard oldest != nil else { return }
        }
        let host = SocketAddress(of: socket, getpeername).host
        table.open(socket, from: ClientAddress(host)?.description ?? host, at: seconds)
    }
}

/// The reason why a server cannot start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotListen(host: String, port: UInt16, reason: String)
    /// The system has no descriptor or memory left, or the certificate and the key are not a matching pair in PEM.
    case cannotStart(hasCertificate: Bool)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host) port \(port): \(reason)"
        case .cannotStart(hasCertificate: true):
            "the TLS library refuses the certificate and the key: both must be PEM, and belong together"
        case .cannotStart(hasCertificate: false): "the system has no memory or descriptor left for a server"
        }
    }
}
