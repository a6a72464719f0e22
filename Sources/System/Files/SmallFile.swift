import FoundationEssentials

/// Reads regular files of limited size: settings, passwords, tokens, and what the kernel reports. Pipes, terminals and
/// devices are refused, because opening them may block, and they may have no end.
package enum SmallFile {
    package static let textLimit = 256 * 1024

    /// Reads a file of at most `limit` bytes.
    package static func bytes(at path: String, limit: Int = textLimit) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path, code: errno) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw FileError(path, code: EISDIR) }
        guard kind == S_IFREG else { throw FileError(path, "it is a pipe or a device, not a regular file") }
        // The file's size is not used, because it is 0 for files of the kernel, as in /proc.
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= limit {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 || errno == EINTR else { throw FileError(path, code: errno) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(max(0, count))
        }
        throw FileError(path, "it is larger than \(limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB")")
    }

    package static func text(at path: String, limit: Int = textLimit) throws(FileError) -> String {
        let bytes = try bytes(at: path, limit: limit)
        let isWide = bytes.count > 2 && (bytes[0] == 0 || bytes[1] == 0)
        guard !isWide, ![[0xFF, 0xFE], [0xFE, 0xFF]].contains(bytes.prefix(2)) else {
            throw FileError(path, "it is UTF-16 text; save it as UTF-8")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw FileError(path, "it is not UTF-8 text") }
        return text
    }

    /// Reads a password or a token: the first line of a file, without trailing whitespace.
    package static func firstLine(of path: String) throws(FileError) -> String { try text(at: path).firstLine }
}

extension StringProtocol {
    /// Returns the longest prefix, in whole characters, of at most `limit` bytes in UTF-8.
    package func prefix(bytes limit: Int) -> SubSequence { prefix(limit) { $0.utf8.count } }

    /// Returns the longest prefix, in whole characters, whose characters' sizes have a sum of at most `limit`.
    func prefix(_ limit: Int, measuredBy size: (Character) -> Int) -> SubSequence {
        var room = limit
        return prefix { character in
            room -= size(character)
            return room >= 0
        }
    }
}

extension String {
    /// The text without the byte order mark that some editors put at the beginning of a file.
    package var withoutByteOrderMark: String { hasPrefix("\u{FEFF}") ? String(dropFirst()) : self }

    /// The first line, without a byte order mark and trailing whitespace.
    package var firstLine: String {
        let line = withoutByteOrderMark.prefix { !$0.isNewline }
        return String(line.dropLast(line.reversed().prefix(while: \.isWhitespace).count))
    }
}

extension String {
    /// Makes a string from the characters of a C string, up to the first zero.
    package init(upToZero characters: [CChar]) {
        self.init(decoding: characters.lazy.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension [String: String] {
    /// The variables of this environment that are not empty, without the line break that environment files may add.
    package var given: Self {
        compactMapValues { value in
            var text = value.withoutByteOrderMark
            while text.last?.isNewline == true { text.removeLast() }
            return text.isEmpty ? nil : text
        }
    }
}

/// Returns the text in a C array of bytes, up to the first zero.
package func cString<Bytes>(_ bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// The reason why a file cannot be read.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    init(_ path: String, _ reason: String) { (self.path, self.reason) = (path, reason) }

    init(_ path: String, code: CInt) {
        let reasons = [
            ENOENT: "there is no such file", EACCES: "permission denied", EISDIR: "it is a directory",
            ENXIO: "it is a socket, not a regular file",
        ]
        self.init(path, reasons[code] ?? String(cString: strerror(code)))
    }

    package var description: String { "\(path): \(reason)" }
}
