import Foundation

/// A directory that is gone when the value is.
public final class TemporaryDirectory: Sendable {
    /// The path of the directory, without a slash at the end.
    public let path: String

    /// Makes an empty directory that only this user can enter.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "facet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes a text file and returns its path.
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
