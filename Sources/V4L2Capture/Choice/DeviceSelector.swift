/// The way in which a camera is selected.
public enum DeviceSelector: Hashable, Sendable, CustomStringConvertible {
    /// The first camera; after a loss, preferably the same one.
    case automatic
    /// A node, or a link to one, by its path.
    ///
    /// Links such as those in `/dev/v4l/by-id` and `by-path` survive replugging. A plain node such as `/dev/video0`
    /// stands for the camera that it named at first, which is found after replugging even under another number.
    case path(String)

    /// Makes a selector from a setting: `auto`, a path, or the bare name of a node or of a link in `/dev/v4l`.
    public init(_ text: String) { self = text == "auto" ? .automatic : .path(text) }

    /// The selector as it is written in the settings.
    public var description: String { path ?? "auto" }

    private var path: String? { if case .path(let path) = self { path } else { nil } }

    /// Whether the path is a plain node such as `/dev/video0`, whose number says nothing about the camera behind it.
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
