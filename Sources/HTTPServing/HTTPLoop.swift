import CMicroHTTPD
import Foundation

/// The server's thread: it closes what takes too long, and lets the library accept, read and write.
final class HTTPLoop {
    /// Connections beyond the limit that the library holds until those that make room for them are closed; with more it
    /// stops accepting, so that a client with a connection of its own would have to wait.
    private static let reserve = 128
    /// Bytes for a request's head, and for what waits to be written, of each connection.
    private static let memory = 32 * 1024
    /// Seconds after which a stream is over whose client takes nothing.
    private static let streamPatience: UInt32 = 30

    private let options: HTTPServer.Options
    private let inbox: HTTPInbox
    private let handler: @Sendable (HTTPRequest) -> HTTPResponse
    private var server: OpaquePointer?
    private var table: ConnectionTable
    private var streams: [Int: StreamedAnswer] = [:]
    private var streamCount = 0
    private let start = ContinuousClock.now

    init(
        _ options: HTTPServer.Options,
        _ listener: Listener,
        _ inbox: HTTPInbox,
        _ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws(HTTPServerError) {
        (self.options, self.inbox, self.handler) = (options, inbox, handler)
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        // Half of the files that the process may open are left for everything else.
        let limit = min(options.connections, max(16, Int(clamping: files.rlim_cur) / 2))
        table = ConnectionTable(limit: limit, patience: options.patience)
        // The library closes its descriptor when it ends.
        let socket = fcntl(listener.socket, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { throw .cannotStart(hasCertificate: false) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        server = http_start(
            { context, connection, url, method, _, data, size, state in
                guard let loop = HTTPLoop.of(context), let connection, let size, let state else { return .NO }
                return loop.take(connection, url, method, data, size, state)
            },
            { context, connection, state, _ in
                guard let connection, let pointer = state?.pointee else { return }
                state?.pointee = nil
                Unmanaged<PartialRequest>.fromOpaque(pointer).release()
                HTTPLoop.of(context)?.completed(connection)
            },
            { context, connection, _, code in
                guard let connection, let loop = HTTPLoop.of(context) else { return }
                let socket = http_socket(connection)
                if code == .CONNECTION_NOTIFY_STARTED { loop.opened(socket) } else { loop.table.remove(socket) }
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

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPLoop? {
        context.map { Unmanaged<HTTPLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    func run() {
        defer { end() }
        while let server {
            let timeout = http_timeout(server)
            let pauses = [table.pause(at: seconds), timeout < 0 ? nil : Double(timeout) / 1000].compactMap(\.self)
            let (ready, isOver) = inbox.wait(for: http_event_descriptor(server), seconds: pauses.min())
            guard !isOver else { return }
            for stream in ready { streams[stream]?.resume() }
            for socket in table.takeOverdue(at: seconds) { shutdown(socket, Int32(SHUT_RDWR)) }
            MHD_run(server)
        }
    }

    /// Closes all connections, whatever they are doing.
    private func end() {
        guard let server else { return }
        self.server = nil
        // The library does not end while it holds a connection that waits for us.
        for stream in streams.values { stream.resume() }
        MHD_stop_daemon(server)
    }

    /// Takes a connection in, and makes room for it.
    private func opened(_ socket: Int32) {
        if table.isFull {
            guard let oldest = table.takeOldest() else {
                shutdown(socket, Int32(SHUT_RDWR))
                return
            }
            shutdown(oldest, Int32(SHUT_RDWR))
        }
        table.open(socket, from: Listener.numeric(socket, getpeername).host, at: seconds)
    }

    // MARK: Requests

    /// Takes a request's head, then the parts of its body, then its end.
    private func take(
        _ connection: OpaquePointer,
        _ url: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?,
        _ data: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee else {
            let socket = http_socket(connection)
            let request = HTTPRequest(
                method.map { String(cString: $0) } ?? "",
                url.map { String(cString: $0) } ?? "",
                query: Self.values(of: connection, .GET_ARGUMENT_KIND),
                headers: Self.values(of: connection, .HEADER_KIND),
                client: table.address(of: socket) ?? ""
            )
            state.pointee = Unmanaged.passRetained(PartialRequest(request)).toOpaque()
            guard let refusal = refusal(of: request) else { return .YES }
            // After this answer the library closes the connection of a POST without reading its body.
            return request.method == "POST" ? answer(connection, refusal) : .NO
        }
        let partial = Unmanaged<PartialRequest>.fromOpaque(pointer).takeUnretainedValue()
        guard size.pointee > 0, let data else { return answer(connection, handler(partial.request)) }
        guard partial.request.body.count + size.pointee <= options.longestBody else { return .NO }
        data.withMemoryRebound(to: UInt8.self, capacity: size.pointee) {
            partial.request.body += UnsafeBufferPointer(start: $0, count: size.pointee)
        }
        size.pointee = 0
        return .YES
    }

    /// Why a request's body is not even read; nil if it is.
    private func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard request.headers["transfer-encoding"] == nil else { return HTTPResponse(411) }
        guard let length = request.headers["content-length"] else { return nil }
        guard let length = Int(length), length <= options.longestBody else { return HTTPResponse(413) }
        return length == 0 || request.method == "POST" ? nil : HTTPResponse(413)
    }

    private func answer(_ connection: OpaquePointer, _ response: HTTPResponse) -> MHD_Result {
        let made: OpaquePointer?
        switch response.body {
        case .bytes(let bytes):
            made = bytes.withUnsafeBytes {
                // The library copies them, though its type does not say so.
                MHD_create_response_from_buffer(
                    $0.count,
                    UnsafeMutableRawPointer(mutating: $0.baseAddress),
                    .RESPMEM_MUST_COPY
                )
            }
        case .stream(let stream): made = streamed(stream, over: connection)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
        if response.status >= 400 { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    private func completed(_ connection: OpaquePointer) {
        table.restart(http_socket(connection), at: seconds)
    }

    private static func values(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: String] {
        var values: [String: String] = [:]
        withUnsafeMutablePointer(to: &values) { pointer in
            _ = MHD_get_connection_values_n(
                connection,
                kind,
                { context, kind, name, nameSize, value, valueSize in
                    guard let values = context?.assumingMemoryBound(to: [String: String].self) else { return .NO }
                    func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
                        start.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: count), as: UTF8.self) }
                            ?? ""
                    }
                    let (name, value) = (text(name, nameSize), text(value, valueSize))
                    if kind == .HEADER_KIND {
                        let before = values.pointee[name.lowercased()].map { $0 + ", " } ?? ""
                        values.pointee[name.lowercased()] = before + value
                    } else {
                        values.pointee[name] = value
                    }
                    return .YES
                },
                pointer
            )
        }
        return values
    }

    // MARK: Streams

    private func streamed(_ stream: any HTTPStream, over connection: OpaquePointer) -> OpaquePointer? {
        streamCount += 1
        let number = streamCount
        let answer = StreamedAnswer(stream, over: connection) { [weak self] in self?.streams[number] = nil }
        let context = Unmanaged.passRetained(answer).toOpaque()
        let made = MHD_create_response_from_callback(
            .max,
            Self.memory,
            { context, _, buffer, limit in
                guard let context, let buffer else { return http_stream_error }
                return Unmanaged<StreamedAnswer>.fromOpaque(context).takeUnretainedValue().read(buffer, limit)
            },
            context,
            { context in
                guard let context else { return }
                Unmanaged<StreamedAnswer>.fromOpaque(context).takeRetainedValue().end()
            }
        )
        guard made != nil else {
            Unmanaged<StreamedAnswer>.fromOpaque(context).takeRetainedValue().end()
            return nil
        }
        streams[number] = answer
        table.stream(http_socket(connection))
        let inbox = inbox
        stream.begin { inbox.ready(number) }
        return made
    }
}

private final class PartialRequest {
    var request: HTTPRequest

    init(_ request: HTTPRequest) {
        self.request = request
    }
}

/// A stream on its way over a connection.
private final class StreamedAnswer {
    private let stream: any HTTPStream
    private let connection: OpaquePointer
    private let ended: () -> Void
    private var part: [UInt8] = []
    private var position = 0
    private var isSuspended = false

    init(_ stream: any HTTPStream, over connection: OpaquePointer, ended: @escaping () -> Void) {
        (self.stream, self.connection, self.ended) = (stream, connection, ended)
    }

    /// Fills a buffer for the library; where there is nothing, the connection waits for `resume`.
    func read(_ buffer: UnsafeMutablePointer<CChar>, _ limit: Int) -> Int {
        if position == part.count {
            switch stream.next() {
            case .bytes(let bytes): (part, position) = (bytes, 0)
            case .none:
                MHD_suspend_connection(connection)
                isSuspended = true
                return 0
            case .end: return http_stream_end
            }
        }
        let count = min(limit, part.count - position)
        part[position..<position + count].withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: $0)
        }
        position += count
        return count
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
    }

    func end() {
        ended()
        stream.end()
    }
}
