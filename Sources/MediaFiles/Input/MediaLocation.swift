import FoundationEssentials

/// The place from which a clip or a stream is read: a file's path, a network address or a command.
struct MediaLocation: Hashable, Sendable {
    static let networkSchemes: Set<String> = ["http", "https", "rtsp", "rtsps"]

    /// The address for FFmpeg. A path begins with `file:`, so that a colon in a name does not mark a protocol.
    let address: Secret
    /// The path or the address as users may see it, without user, password and query.
    let name: String
    var path: String?
    /// The command that writes the stream to its standard output; nil for files and addresses.
    var command: Secret?

    /// Numbers that change when the file is replaced or rewritten; nil if there is no file.
    var version: [Int]? {
        guard let path, let status = fileStatus(path) else { return nil }
        return [Int(bitPattern: status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// Whether the pictures come from a network address or a command, which is opened again after a failure or loss.
    var isStream: Bool { path == nil }
}

extension MediaLocation {
    /// Parses a path, a `file://` address, a network address, or `exec:` with a command.
    /// - Throws: `SourceFailure` for another scheme, and for an address that can never be reached.
    init(_ text: String) throws(SourceFailure) {
        if text.hasPrefix("exec:") {
            let command = Secret(partly: String(text.dropFirst(5)))
            self.init(address: command, name: text.shownSource, command: command)
            return
        }
        let path = text.pathOfFileAddress
        guard path == nil, let separator = text.firstRange(of: "://") else {
            self.init(path: path ?? text)
            return
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard Self.networkSchemes.contains(scheme) else {
            let known = Self.networkSchemes.sorted().map { $0 + "://" }.joined(separator: ", ")
            let problem = "cannot open an address that begins with \(scheme)://"
            throw .init(reason: .unsupported, description: "\(problem); known are a file's path and \(known).")
        }
        do throws(ServerAddress.Failure) {
            let server = try ServerAddress(scheme: scheme, text[separator.upperBound...])
            // FFmpeg only knows schemes in lower case.
            self.init(address: Secret(partly: server.revealed()), name: server.description)
        } catch {
            let remedy = "write it like rtsp://host:port/path, an IPv6 host in brackets"
            throw .init(.unsupported, "open the address \(error.shown)", error.reason, remedy)
        }
    }

    private init(path: String) { self.init(address: Secret(partly: "file:" + path), name: path, path: path) }

    /// The ending of a file's name after the last dot, in lower case.
    static func ending(of path: String) -> String { URL(filePath: path).pathExtension.lowercased() }
}
