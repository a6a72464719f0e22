/// A selection of a camera.
public enum DeviceSelector: Hashable, Sendable, CustomStringConvertible {
    /// The first camera; after a loss preferably the same one again.
    case automatic
    /// A node or a link to one, by its path.
    ///
    /// Links like those in `/dev/v4l/by-id` and `by-path` survive replugging, and are followed wherever they lead. For
    /// a plain node like `/dev/video0`, the camera that was there is found after replugging even under another number.
    case path(String)

    /// Makes a selector from a setting: `auto`, a path, or the bare name of a node or of a link in `/dev/v4l`.
    public init(_ text: String) { self = text == "auto" ? .automatic : .path(text) }

    /// The selector as the settings have it.
    public var description: String { path ?? "auto" }

    private var path: String? { if case .path(let path) = self { path } else { nil } }

    /// Whether it is a node's path with a number, which says nothing about the camera behind it.
    var isNode: Bool {
        guard let path else { return false }
        let name = path.hasPrefix("/dev/") ? path.dropFirst(5) : path[...]
        return name.hasPrefix("video") && Int(name.dropFirst(5)) != nil
    }

    var paths: [String] {
        guard let path else { return [] }
        guard !path.contains("/") else { return [path] }
        return ["/dev/\(path)", "/dev/v4l/by-id/\(path)", "/dev/v4l/by-path/\(path)"]
    }
}
