import System

/// The reason why a source has no frames: a code for programs, and a paragraph for people.
public struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. The raw values are those of the published status.
    public enum Reason: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// There is no such camera or file.
        case notFound = "not_found"
        /// The camera was unplugged while in use.
        case unplugged
        /// This process is not permitted to open the camera.
        case permissionDenied = "permission_denied"
        /// Another program uses the camera.
        case busy
        /// The device node is not a camera.
        case notACamera = "not_a_camera"
        /// The camera lacks the requested format, size or rate.
        case unsupportedMode = "unsupported_mode"
        /// A control of the camera cannot be set to the requested value.
        case unsupportedControl = "unsupported_control"
        /// No complete frame came for too long.
        case stalled
        /// The camera's driver failed.
        case driverError = "driver_error"
        /// The path is not a file, or the process is not permitted to read the file.
        case unreadable
        /// The file is damaged or of an unknown format.
        case corrupt
        /// The file has no pictures.
        case noVideo = "no_video"
        /// Files, addresses or formats of this kind are not supported.
        case unsupported
        /// The stream's sender cannot be reached.
        case unreachable
        /// The stream ended unexpectedly.
        case streamLost = "stream_lost"
        /// Frames come, but cannot be decoded.
        case undecodable
        /// The file cannot be written.
        case unwritable
        /// A source that the calling program made failed in another way.
        case other

        /// The kind of failure as a word, as in the published status.
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

    /// Makes a failure whose description is "cannot `attempt`: `problem`; `remedy`."
    package init(_ reason: Reason, _ attempt: String, _ problem: String, _ remedy: String) {
        self.init(reason: reason, description: "cannot \(attempt): \(problem); \(remedy).")
    }

    /// Makes the failure of a source whose pictures have more pixels than the settings allow.
    package static func tooLarge(_ name: String, _ size: FrameSize, limit: Int) -> Self {
        let remedy = "make them smaller, or raise the limit if this machine has the memory"
        return Self(.unsupported, "use \(name)", tooManyPixels(size, limit: limit), remedy)
    }

    /// Returns the text that says that pictures have too many pixels.
    package static func tooManyPixels(_ size: FrameSize, limit: Int) -> String {
        "its pictures are \(size), more than the \(limit) pixels allowed"
    }
}

/// Runs `body`, and converts its error to another type with `wrap`.
package func failing<Value, Failure: Error, Wrapper: Error>(
    as wrap: (Failure) -> Wrapper,
    _ body: () throws(Failure) -> Value
) throws(Wrapper) -> Value {
    do throws(Failure) { return try body() } catch { throw wrap(error) }
}
