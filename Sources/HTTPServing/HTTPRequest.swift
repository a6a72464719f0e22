import CMicroHTTPD

/// A request whose head and body are complete.
package struct HTTPRequest: Sendable {
    /// The method, case-sensitive as sent; GET for HEAD, whose answer is the same without its body.
    package var method: String
    /// The path with percent escapes undone, without the query.
    package var path: String
    /// The query's values by name; the last one of a name that comes twice.
    package var query: [String: String] = [:]
    /// The header's fields by name in lower case; a field that comes twice is joined with commas.
    package var headers: [String: String] = [:]
    /// The body, of at most `HTTPServer.Options.longestBody` bytes.
    package var body: [UInt8] = []
    /// The numeric address of the client, or of the proxy before it.
    package var client = "127.0.0.1"

    /// The value of a field in the body, a form as browsers send it (application/x-www-form-urlencoded) with any bytes.
    ///
    /// A `%` without two digits after it is kept, what is not UTF-8 becomes the replacement character, and a zero byte
    /// that is not escaped, which no browser sends, ends the value.
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
        /// A stream. If it may end without any part, `ifEmpty` is answered then, and the head waits for the first part.
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

/// The next part of a stream.
package enum HTTPStreamPart: Sendable {
    /// These bytes; not empty.
    case bytes([UInt8])
    /// Nothing now; `ready` is called when there is something.
    case none
    case end
}

/// A response's body that is made while it is sent.
///
/// A part is asked for when the one before is sent: a slow client misses parts of a stream that offers its newest.
package protocol HTTPStream: AnyObject, Sendable {
    /// Begins the stream; `ready` may be called on any thread, whenever `next` has something after it had nothing.
    func begin(ready: @escaping @Sendable () -> Void)
    /// The next part; called on the server's thread, which must not be blocked.
    func next() -> HTTPStreamPart
    /// Notes that the client is gone, or that the stream has ended.
    func end()
}
