import System

/// The reason why a session cannot start or continue. The text says what was tried, why it failed and what to do.
public enum FaceSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The camera, clip or stream cannot be used.
    case source(SourceFailure)
    /// The models or the LiteRT library cannot be used.
    case inference(InferenceError)
    /// The JPEG decoder cannot be made.
    case decoder(reason: String)
    /// The system has no thread left.
    case thread(reason: String)
    /// An option's value that the program has set cannot be used.
    case unusable(option: String, value: String, allowed: String)
    /// The session is already running, on another thread or for another loop over `updates`.
    case alreadyRunning

    /// The error as one paragraph for users.
    public var description: String {
        switch self {
        case .source(let failure): failure.description
        case .inference(let error): error.description
        case .decoder(let reason): "cannot decode JPEG: \(reason)"
        case .thread(let reason): reason
        case .unusable(let option, let value, let allowed): "cannot use the \(option) \(value): it must be \(allowed)"
        case .alreadyRunning: "this session runs already; make another one, or stop the first"
        }
    }

    static func thread(_ error: SystemError) -> Self { .thread(reason: error.description) }
}
