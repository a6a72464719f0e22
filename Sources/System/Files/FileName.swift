import Foundation

/// Names of files as strings. Such names are bytes, not all of them UTF-8: old disks and zip files often have Latin-1.
///
/// In a `String` each byte that is no UTF-8 is a character for private use of its own. The functions of the system
/// below have the names and take the arguments of the C library's, and give it the bytes.
extension String {
    /// The private character of byte 0; only bytes from 0x80 on have one.
    private static let first: UInt32 = 0x10_FE00

    /// Reads a name from the bytes that the system gives, up to the first zero.
    package init(fileName bytes: some Sequence<UInt8>) {
        var scalars = UnicodeScalarView()
        var rest = Array(bytes.prefix { $0 != 0 })[...]
        while !rest.isEmpty {
            var decoder = UTF8()
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator), scalar.byteOfFileName == nil {
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                scalars.append(Unicode.Scalar(Self.first + UInt32(rest.removeFirst())) ?? "?")
            }
        }
        self = String(scalars)
    }

    /// The name as bytes for the system, with a zero at its end.
    package var fileName: [CChar] {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            bytes += scalar.byteOfFileName.map { [$0] } ?? Array(String(scalar).utf8)
        }
        return (bytes + [0]).map { CChar(bitPattern: $0) }
    }
}

extension Unicode.Scalar {
    /// The byte of a file's name that the character represents; nil for any other character.
    package var byteOfFileName: UInt8? { 0x10_FE80...0x10_FEFF ~= value ? UInt8(value & 0xFF) : nil }
}

package func open(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt { Glibc.open(path.fileName, flags, mode) }
package func access(_ path: String, _ mode: CInt) -> CInt { Glibc.access(path.fileName, mode) }
package func fopen(_ path: String, _ mode: String) -> UnsafeMutablePointer<FILE>? { Glibc.fopen(path.fileName, mode) }
package func rename(_ path: String, _ other: String) -> CInt { Glibc.rename(path.fileName, other.fileName) }
package func mkdir(_ path: String, _ mode: mode_t) -> CInt { Glibc.mkdir(path.fileName, mode) }
@discardableResult
package func unlink(_ path: String) -> CInt { Glibc.unlink(path.fileName) }

/// The names of the files in a directory; empty if it cannot be read.
package func names(in directory: String) -> [String] {
    guard let stream = opendir(directory.fileName) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(fileName: $0) }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

/// Whether there is a file or a directory.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// The status of a file, with `followsLink` of the one that a link leads to; nil if there is none, see `errno`.
package func fileStatus(_ path: String, followsLink: Bool = true) -> stat? {
    var status = stat()
    return (followsLink ? stat(path.fileName, &status) : lstat(path.fileName, &status)) == 0 ? status : nil
}

/// Whether there is a directory.
package func isDirectory(_ path: String) -> Bool { fileStatus(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

/// Makes a directory and the directories that it is in.
package func makeDirectories(_ path: String, mode: mode_t = 0o777) -> CInt {
    if isDirectory(path) { return 0 }
    if let slash = path.dropFirst().lastIndex(of: "/"), makeDirectories(String(path[..<slash]), mode: mode) != 0 {
        return -1
    }
    return mkdir(path, mode) == 0 || errno == EEXIST && isDirectory(path) ? 0 : -1
}

/// The arguments and the environment of the program, in which names of files keep their bytes.
extension ProcessInfo {
    package static var argumentNames: [String] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { String(fileName: bytes(of: $0)) } }
    }

    package static var variables: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(fileName: bytes(of: entry))
            if let sign = text.firstIndex(of: "=") { result[String(text[..<sign])] = String(text[sign...].dropFirst()) }
            next += 1
        }
        return result
    }

    private static func bytes(of text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        (0..<strlen(text)).map { UInt8(bitPattern: text[$0]) }
    }
}
