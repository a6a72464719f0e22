/// A failed system call, with the error number and, if known, the remedy.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, such as `make an eventfd`.
    package let attempt: String
    package let code: CInt
    private let remedy: String?

    package init(_ attempt: String, _ code: CInt, remedy: String? = nil) {
        self.attempt = attempt
        self.code = code
        self.remedy = remedy
    }

    package var reason: String { String(cString: strerror(code)) }
    package var description: String { "cannot \(attempt): \(reason)\(remedy.map { "; \($0)" } ?? "")" }
}
