import CMicroHTTPD

/// A request that has arrived completely.
package struct HTTPRequest: Sendable {
    /// The method, case-sensitive as sent. HEAD becomes GET, because its answer is the same without the body.
    package var method: String
    /// The path without the query, with percent escapes decoded.
    package var path: String
    /// The query's values by name. If a name comes twice, its last value counts.
    package var query: [String: String] = [:]
    /// The header fields by name in lower case. The values of a field that comes twice are joined with commas.
    package var headers: [String: String] = [:]
    /// The body, of at most `HTTPServer.Options.longestBody` bytes.
    package var body: [UInt8] = []
    /// The numeric address from which the connection comes: that of the client or of a proxy in between.
    package var client = "127.0.0.1"

    /// Returns the value of a field of the form in the body (application/x-www-form-urlencoded); nil if there is none.
    ///
    /// A `%` without two hexadecimal digits after it is kept. Bytes that are not UTF-8 become the replacement
    /// character. An unescaped zero byte, which no browser sends, ends the value.
    package func formField(_ name: String) -> String? {
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, Self.unescaped(parts[0]) == name { return Self.unescaped(parts[1]) }
        }
        return nil
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var text = bytes.map { CChar(bitPattern: $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0) } + [0]
        let count = MHD_http_unescape(&text)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

package struct HTTPResponse: Sendable {
    package indirect enum Body: Sendable {
        case bytes([UInt8])
        /// A stream. If it ends without a single part, the response `ifEmpty` is sent instead of this one.
        case stream(any HTTPStream, ifEmpty: HTTPResponse? = nil)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body

    package init(_ status: Int, headers: [String: String] = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The answer that a stream gives when it is asked for its next part.
package enum HTTPStreamPart: Sendable {
    /// The bytes of the part, at least one.
    case bytes([UInt8])
    /// Nothing is there yet. The stream calls `ready` once there is something.
    case none
    case end
}

/// A response's body that is made while it is sent.
///
/// The next part is requested when the last one has been sent. A stream that always gives its newest value thus skips
/// some values for slow clients.
package protocol HTTPStream: AnyObject, Sendable {
    /// Begins the stream. The stream calls `ready`, on any thread, when `next` has a part again after it had none.
    func begin(ready: @escaping @Sendable () -> Void)
    /// Returns the next part. Runs on the server's thread, which it must not block.
    func next() -> HTTPStreamPart
    /// Tells the stream that it is over, because all parts were sent or the client is gone.
    func end()
}
