import Glibc

/// A call of the system that failed, with the number of its error.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, such as `make an eventfd`.
    package let attempt: String
    package let code: CInt

    package init(_ attempt: String, _ code: CInt) { (self.attempt, self.code) = (attempt, code) }

    package var reason: String { String(cString: strerror(code)) }
    package var description: String { "cannot \(attempt): \(reason)" }
}
