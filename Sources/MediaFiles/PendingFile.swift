import Glibc

/// A file that is written under another name, and gets its own only when it is whole.
struct PendingFile {
    /// The name it gets.
    let path: String
    /// The name it has until then: in the same directory, so that renaming is one step.
    let temporaryPath: String

    init(_ path: String) {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        temporaryPath = "\(path[..<slash]).\(path[slash...]).\(getpid()).part"
    }

    /// Gives the file its name.
    func commit() throws(MediaError) {
        guard rename(temporaryPath, path) == 0 else {
            let reason = String(cString: strerror(errno))
            discard()
            throw .unwritable(path: path, reason: reason)
        }
    }

    /// Removes what was written so far.
    func discard() {
        unlink(temporaryPath)
    }

    /// The letters after the last dot of a file's name, lower case.
    static func ending(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }
}
