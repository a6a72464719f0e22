import System

/// The reason why a source has no frames: a word for programs, one paragraph for people.
public struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure, in the words of the published status.
    public enum Reason: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// There is no such camera or file.
        case notFound = "not_found"
        /// The camera was taken away while in use.
        case unplugged
        /// The camera may not be opened.
        case permissionDenied = "permission_denied"
        /// Another program uses the camera.
        case busy
        /// The node is not a camera.
        case notACamera = "not_a_camera"
        /// The camera lacks the mode that was asked for.
        case unsupportedMode = "unsupported_mode"
        /// A control of the camera cannot be set as asked.
        case unsupportedControl = "unsupported_control"
        /// No whole frame came for too long.
        case stalled
        /// The camera's driver failed.
        case driverError = "driver_error"
        /// The file may not be read, or is none.
        case unreadable
        /// The file is damaged or of no known format.
        case corrupt
        /// The file has no pictures.
        case noVideo = "no_video"
        /// The file, address or format is of a kind that cannot be used.
        case unsupported
        /// The stream's sender cannot be reached.
        case unreachable
        /// The stream broke off.
        case streamLost = "stream_lost"
        /// Frames come, but cannot be decoded.
        case undecodable
        /// The file cannot be written.
        case unwritable
        /// Another failure, of a source that a program made.
        case other

        /// The word for the failure in the status.
        public var description: String { rawValue }
    }

    /// The kind of failure.
    public var reason: Reason
    /// What was tried, on what, why it failed and what to do about it.
    public var description: String

    /// Makes a failure from its kind and a paragraph for people, from which configured secrets are removed.
    public init(reason: Reason, description: String) {
        self.reason = reason
        self.description = description.withoutSecrets
    }

    /// Makes a failure from what was tried, in words that follow `cannot`, what is wrong and what to do about it.
    package init(_ reason: Reason, _ attempt: String, _ problem: String, _ remedy: String) {
        self.init(reason: reason, description: "cannot \(attempt): \(problem); \(remedy).")
    }

    /// The pictures of a source are larger than the settings allow.
    package static func tooLarge(_ name: String, _ size: FrameSize, limit: Int) -> Self {
        let remedy = "make them smaller, or raise the limit if this machine has the memory"
        return Self(.unsupported, "use \(name)", tooManyPixels(size, limit: limit), remedy)
    }

    /// The words for pictures that are too large.
    package static func tooManyPixels(_ size: FrameSize, limit: Int) -> String {
        "its pictures are \(size), more than the \(limit) pixels allowed"
    }
}

/// Runs a function and wraps its error in another kind.
package func failing<Value, Failure: Error, Wrapper: Error>(
    as wrap: (Failure) -> Wrapper,
    _ body: () throws(Failure) -> Value
) throws(Wrapper) -> Value {
    do throws(Failure) { return try body() } catch { throw wrap(error) }
}
