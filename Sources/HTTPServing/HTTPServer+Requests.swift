import CMicroHTTPD

extension HTTPServer {
    /// Processes one stage of a request. libmicrohttpd calls this for the head, each part of the body and the end.
    func receive(
        _ connection: OpaquePointer,
        _ url: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?,
        _ data: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee else {
            let socket = http_socket(connection)
            let method = method.map { String(cString: $0) } ?? ""
            let request = HTTPRequest(
                // The library leaves the body of a HEAD's answer out.
                method: method == "HEAD" ? "GET" : method,
                path: url.map { String(cString: $0) } ?? "",
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
        guard size.pointee > 0, let data else { return answer(connection, to: partial) }
        guard partial.request.body.count + size.pointee <= options.longestBody else { return .NO }
        partial.request.body += UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        return .YES
    }

    /// Returns the response that refuses a request before its body is read; nil if the body may be read.
    private func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard request.headers["transfer-encoding"] == nil else { return HTTPResponse(411) }
        guard let length = request.headers["content-length"] else { return nil }
        guard let length = Int(length), length <= options.longestBody else { return HTTPResponse(413) }
        return length == 0 || request.method == "POST" ? nil : HTTPResponse(413)
    }

    /// Answers a complete request. If the answer must wait for a stream's first part, libmicrohttpd calls this again.
    private func answer(_ connection: OpaquePointer, to partial: PartialRequest) -> MHD_Result {
        let response = partial.response ?? handler(partial.request)
        partial.response = response
        guard case .stream(let stream, let ifEmpty) = response.body else { return answer(connection, response) }
        let streamed = partial.streamed ?? begin(stream, over: connection)
        partial.streamed = streamed
        if let ifEmpty {
            switch streamed.part() {
            case .none: return .YES
            case .end: return answer(connection, ifEmpty)
            case .bytes: break
            }
        }
        partial.streamed = nil
        return queue(response, Self.body(streamed), over: connection)
    }

    private func answer(_ connection: OpaquePointer, _ response: HTTPResponse) -> MHD_Result {
        guard case .bytes(let bytes) = response.body else { return .NO }
        let body = bytes.withUnsafeBytes {
            // The library copies the bytes, although its parameter is mutable.
            let bytes = UnsafeMutableRawPointer(mutating: $0.baseAddress)
            return MHD_create_response_from_buffer($0.count, bytes, .RESPMEM_MUST_COPY)
        }
        return queue(response, body, over: connection)
    }

    private func queue(_ response: HTTPResponse, _ body: OpaquePointer?, over connection: OpaquePointer) -> MHD_Result {
        guard let made = body else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
        if response.status >= 400 { MHD_add_response_header(made, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    private static func values(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: String] {
        var values: [String: String] = [:]
        withUnsafeMutablePointer(to: &values) { pointer in
            _ = MHD_get_connection_values_n(
                connection,
                kind,
                { context, kind, name, nameSize, value, valueSize in
                    guard let values = context?.assumingMemoryBound(to: [String: String].self) else { return .NO }
                    // A name or a value that is missing has no bytes.
                    let name = String(decoding: UnsafeRawBufferPointer(start: name, count: nameSize), as: UTF8.self)
                    let value = String(decoding: UnsafeRawBufferPointer(start: value, count: valueSize), as: UTF8.self)
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

    private func begin(_ stream: any HTTPStream, over connection: OpaquePointer) -> StreamedAnswer {
        streamCount += 1
        let number = streamCount
        let answer = StreamedAnswer(stream, over: connection) { [weak self] in self?.streams[number] = nil }
        streams[number] = answer
        table.stream(http_socket(connection))
        stream.begin { [weak self] in self?.ready(number) }
        return answer
    }

    /// Returns libmicrohttpd's response object for a stream. The stream ends when that object is destroyed.
    private static func body(_ answer: StreamedAnswer) -> OpaquePointer? {
        let context = Unmanaged.passRetained(answer).toOpaque()
        let made = MHD_create_response_from_callback(
            .max,
            memory,
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
        if made == nil { Unmanaged<StreamedAnswer>.fromOpaque(context).takeRetainedValue().end() }
        return made
    }
}

/// A request whose head has arrived and whose answer is not sent yet.
final class PartialRequest {
    var request: HTTPRequest
    var response: HTTPResponse?
    /// The stream that becomes the response's body; nil before it has begun and after the response's head was queued.
    var streamed: StreamedAnswer?

    init(_ request: HTTPRequest) { self.request = request }

    deinit { streamed?.end() }
}

/// The state of a stream that is being sent over a connection.
final class StreamedAnswer {
    private let stream: any HTTPStream
    private let connection: OpaquePointer
    private let ended: () -> Void
    private var bytes: [UInt8] = []
    private var position = 0
    private var isSuspended = false

    init(_ stream: any HTTPStream, over connection: OpaquePointer, ended: @escaping () -> Void) {
        self.stream = stream
        self.connection = connection
        self.ended = ended
    }

    /// Returns the part being sent or, once all of it is sent, the next. If there is none, suspends the connection.
    func part() -> HTTPStreamPart {
        if position < bytes.count { return .bytes(bytes) }
        let next = stream.next()
        switch next {
        case .bytes(let new):
            bytes = new
            position = 0
        case .none:
            MHD_suspend_connection(connection)
            isSuspended = true
        case .end: break
        }
        return next
    }

    /// Copies the next bytes into libmicrohttpd's buffer. Returns their number, or the library's code for the end.
    func read(_ buffer: UnsafeMutablePointer<CChar>, _ limit: Int) -> Int {
        switch part() {
        case .none: return 0
        case .end: return http_stream_end
        case .bytes: break
        }
        let count = min(limit, bytes.count - position)
        UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: bytes[position..<position + count])
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
