import Frames
import System

/// Where a clip or a stream is: a file's path, a network address or a command.
struct MediaLocation: Hashable, Sendable {
    static let networkSchemes: Set<String> = ["http", "https", "rtsp", "rtsps"]

    /// What FFmpeg is given. A path gets the `file:` protocol, so that a colon in a name is not taken for another one.
    let address: String

    /// The path or the address as it may be shown: without user, password and query.
    let name: String

    let path: String?

    /// What writes the stream to its standard output.
    let command: String?

    /// Reads a path, a `file://` address, a network address or `exec:` with a command.
    ///
    /// - Throws: `SourceFailure` for another scheme, or for an address that can never be reached: without a host, with a
    ///   port beyond 65535, with an IPv6 address that has no closing bracket.
    init(_ text: String) throws(SourceFailure) {
        if text.hasPrefix("exec:") {
            self.init(address: "", name: text.withoutPasswords, command: String(text.dropFirst(5)))
            return
        }
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
            let known = Self.networkSchemes.sorted().map { $0 + "://" }.joined(separator: ", ")
            let problem = "cannot open an address that begins with \(scheme)://"
            throw .init(.unsupported, "\(problem); known are a file's path and \(known).")
        }
        let rest = text[separator.upperBound...]
        let name = scheme + "://" + Self.withoutSecrets(rest)
        if let problem = Self.problem(inHostAndPort: Self.hostAndPort(rest)) {
            let isCut = rest[Self.authorityEnd(rest)...].contains("@")
            let reason = isCut ? "a / in a user or password is written %2F" : problem
            let remedy = "write it like rtsp://host:port/path, an IPv6 host in brackets"
            throw .init(.unsupported, "cannot open the address \(name): \(reason); \(remedy).")
        }
        // FFmpeg only knows schemes in lower case.
        self.init(address: "\(scheme)://\(rest)", name: name)
    }

    private init(path: String) {
        self.init(address: "file:" + path, name: path, path: path)
    }

    private init(address: String, name: String, path: String? = nil, command: String? = nil) {
        (self.address, self.name) = (address, name)
        (self.path, self.command) = (path, command)
    }

    /// Whether a sender brings it, which may be late or gone, and is tried again.
    var isStream: Bool { path == nil }

    /// The letters after the last dot of a file's name, lower case.
    static func ending(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    /// Where the part ends that names user, password, host and port.
    private static func authorityEnd(_ rest: Substring) -> Substring.Index {
        rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) ?? rest.endIndex
    }

    private static func hostAndPort(_ rest: Substring) -> Substring {
        let authority = rest[..<authorityEnd(rest)]
        return authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    }

    /// Why `host`, `host:port`, `[::1]` or `[::1]:port` cannot be an address; nil if it can.
    private static func problem(inHostAndPort text: Substring) -> String? {
        let port: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return "its IPv6 address has no closing bracket" }
            guard text.index(after: text.startIndex) < end else { return "it names no host" }
            port = text[text.index(after: end)...]
            guard port.isEmpty || port.first == ":" else {
                return "after the bracket only a colon and a port may follow"
            }
        } else {
            let host = text.prefix { $0 != ":" }
            guard !host.isEmpty else { return "it names no host" }
            guard host.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else { return "its host has a blank in it" }
            port = text[host.endIndex...]
        }
        // "host:" with nothing behind it is the scheme's own port.
        guard port.count > 1 else { return nil }
        guard port.utf8.dropFirst().allSatisfy({ 48...57 ~= $0 }), let number = UInt16(port.dropFirst()), number > 0
        else {
            return "its port must be a number from 1 to 65535"
        }
        return nil
    }

    /// Drops user and password, which stand before the last @ of the host part, and the query, which may hold a token.
    private static func withoutSecrets(_ rest: Substring) -> String {
        let hostEnd = authorityEnd(rest)
        let path = rest[hostEnd...].prefix { $0 != "?" && $0 != "#" }
        // An unescaped slash in a password would leave a part of it in what looks like the path.
        if let at = path.lastIndex(of: "@") { return String(path[path.index(after: at)...]) }
        return String(hostAndPort(rest) + path)
    }
}
