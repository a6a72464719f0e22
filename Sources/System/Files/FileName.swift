import Foundation

/// File names as strings. Such names are bytes, and not always UTF-8, for example from old disks and zip files.
///
/// In a `String`, each byte that is not valid UTF-8 becomes one private-use character. The functions below, such as
/// `open`, wrap those of the C library, and pass them the original bytes.
extension String {
    /// The base of the private-use characters: byte b, from 0x80 on, becomes `first` + b.
    private static let first: UInt32 = 0x10_FE00

    /// Makes a string from the bytes of a file name, up to the first zero.
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

    /// The bytes of the file name, with a zero at the end, for the C library.
    package var fileName: [CChar] {
        let bytes = unicodeScalars.flatMap { scalar in scalar.byteOfFileName.map { [$0] } ?? Array(scalar.utf8) }
        return (bytes + [0]).map { CChar(bitPattern: $0) }
    }
}

extension Unicode.Scalar {
    /// The byte of a file name that this private-use character stands for; nil for any other character.
    package var byteOfFileName: UInt8? { 0x10_FE80...0x10_FEFF ~= value ? UInt8(value & 0xFF) : nil }
}

package func open(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt { Glibc.open(path.fileName, flags, mode) }
package func access(_ path: String, _ mode: CInt) -> CInt { Glibc.access(path.fileName, mode) }
package func fopen(_ path: String, _ mode: String) -> UnsafeMutablePointer<FILE>? { Glibc.fopen(path.fileName, mode) }
package func rename(_ path: String, _ other: String) -> CInt { Glibc.rename(path.fileName, other.fileName) }
package func mkdir(_ path: String, _ mode: mode_t) -> CInt { Glibc.mkdir(path.fileName, mode) }
@discardableResult
package func unlink(_ path: String) -> CInt { Glibc.unlink(path.fileName) }

/// Returns the names of the files in a directory; empty if it cannot be read.
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

/// Whether a file or a directory with this path exists.
package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Returns the status of a file, or of a link itself if `followsLink` is false; nil if it fails, as `errno` explains.
package func fileStatus(_ path: String, followsLink: Bool = true) -> stat? {
    var status = stat()
    return (followsLink ? stat(path.fileName, &status) : lstat(path.fileName, &status)) == 0 ? status : nil
}

/// Whether a directory with this path exists.
package func isDirectory(_ path: String) -> Bool { fileStatus(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

/// Makes a directory, and its parent directories where they are missing. Returns 0, or −1 with `errno`.
package func makeDirectories(_ path: String, mode: mode_t = 0o777) -> CInt {
    if isDirectory(path) { return 0 }
    if let slash = path.dropFirst().lastIndex(of: "/"), makeDirectories(String(path[..<slash]), mode: mode) != 0 {
        return -1
    }
    return mkdir(path, mode) == 0 || errno == EEXIST && isDirectory(path) ? 0 : -1
}

/// The arguments and the environment of this process, in which file names keep their bytes.
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
