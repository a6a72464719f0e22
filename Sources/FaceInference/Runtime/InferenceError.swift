/// The reason why faces cannot be searched for. The description says what failed and why, and often what to do.
public enum InferenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The LiteRT library is not in any of the directories that were searched.
    case notInstalled(file: String, searched: [String])
    /// A file that inference needs is not there.
    case missingFile(path: String)
    /// A file that inference needs cannot be read. The reason is the system's.
    case unreadableFile(path: String, reason: String)
    /// A file does not have the expected length, in bytes. It is truncated or of another version.
    case wrongSize(path: String, expected: Int, actual: Int)
    /// A file of the expected length has another SHA-256 than expected. Both are in hexadecimal.
    case wrongDigest(path: String, expected: String, actual: String)
    /// There is no LiteRT library for this kind of processor.
    case unsupportedProcessor(String)
    /// The dynamic linker cannot load the library. The reason is the linker's.
    case libraryNotLoaded(path: String, reason: String)
    /// A call to LiteRT failed with this status.
    case liteRT(operation: String, model: String, status: Int32)
    /// A frame's pixels cannot be read, for this reason.
    case unreadableFrame(reason: String)

    /// The error as one paragraph of text for the user.
    public var description: String {
        switch self {
        case .notInstalled(let file, let searched):
            """
            cannot find \(file), looked in \(searched.joined(separator: ", ")). Install it with \
            \(Self.installation), or name its directory in \(ModelDirectory.environmentVariable).
            """
        case .missingFile(let path):
            "cannot open \(path): there is no such file. Install it with \(Self.installation)."
        case .unreadableFile(let path, let reason):
            "cannot read \(path): \(reason). Check its permissions, or install it again with \(Self.installation)."
        case .wrongSize(let path, let expected, let actual):
            """
            refusing to open \(path): it has \(actual) bytes, not \(expected); it is cut off or another version. \
            Install it again with \(Self.installation).
            """
        case .wrongDigest(let path, let expected, let actual):
            """
            refusing to open \(path): its SHA-256 is \(actual), not \(expected); it is damaged or another version. \
            Install it again with \(Self.installation).
            """
        case .unsupportedProcessor(let name):
            "cannot look for faces on \(name): LiteRT has libraries for x86_64 and aarch64 only."
        case .libraryNotLoaded(let path, let reason):
            "cannot load \(path): \(reason). Install it again with \(Self.installation)."
        case .liteRT(let operation, let model, let status):
            """
            LiteRT cannot \(operation) \(model): status \(status) (\(Self.meanings[status] ?? "unknown")). \
            If it happens again, install it again with \(Self.installation), and report it.
            """
        case .unreadableFrame(let reason): "cannot look for faces in a frame: \(reason)."
        }
    }

    /// The command that installs the library and the models, for error messages.
    package static let installation =
        "`sudo apt install --reinstall facet-data`, or deploy/setup in a checkout of Facet"

    /// The meanings of LiteRT's status codes, as of LiteRT 2.3.
    private static let meanings: [Int32: String] = [
        1: "invalid argument", 2: "out of memory", 3: "runtime failure", 5: "unsupported", 6: "not found",
        8: "wrong version", 500: "file error", 501: "invalid model file", 504: "compilation failed",
    ]
}
