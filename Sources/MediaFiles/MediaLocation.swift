/// Where a clip or a stream is: a file's path or a network address.
struct MediaLocation: Hashable, Sendable {
    /// The schemes of addresses that are opened over the network.
    static let networkSchemes: Set<String> = ["http", "https", "rtsp", "rtsps"]

    /// What FFmpeg is given. A path gets the `file:` protocol, so that a colon in a name is not taken for another one.
    let address: String

    /// The path or the address as it may be shown: without user, password and query.
    let name: String

    /// The path, if it is a file.
    let path: String?

    /// Reads a path, a `file://` address or a network address.
    init(_ text: String) throws(MediaError) {
        guard let separator = text.firstRange(of: "://") else {
            self.init(path: text)
            return
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        if scheme == "file" {
            self.init(path: String(text[separator.upperBound...]))
            return
        }
        guard Self.networkSchemes.contains(scheme) else {
            throw .unknownScheme(scheme: scheme, known: Self.networkSchemes.sorted())
        }
        let rest = text[separator.upperBound...]
        // FFmpeg only knows schemes in lower case.
        self.init(address: "\(scheme)://\(rest)", name: scheme + "://" + Self.withoutSecrets(rest), path: nil)
    }

    private init(path: String) {
        self.init(address: "file:" + path, name: path, path: path)
    }

    private init(address: String, name: String, path: String?) {
        self.address = address
        self.name = name
        self.path = path
    }

    /// Whether it is opened over the network.
    var isNetwork: Bool { path == nil }

    /// Drops user and password, which stand before the last @ of the host part, and the query, which may hold a token.
    private static func withoutSecrets(_ rest: Substring) -> String {
        let hostEnd = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) ?? rest.endIndex
        var host = rest[..<hostEnd]
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        let path = rest[hostEnd...].prefix { $0 != "?" && $0 != "#" }
        // An unescaped slash in a password would leave a part of it in what looks like the path.
        if let at = path.lastIndex(of: "@") { return String(path[path.index(after: at)...]) }
        return String(host + path)
    }
}
