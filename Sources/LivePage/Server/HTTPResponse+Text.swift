import HTTPServing

extension HTTPResponse {
    /// An answer in words.
    static func text(_ status: Int, _ words: String) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(words.utf8)))
    }
}
