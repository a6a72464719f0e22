package import Glibc

/// A file that is written under another name, and gets its own only when it is whole; without that nothing is left of it.
package final class PendingFile: Sendable {
    package let path: String
    /// The name it has until then: in the same directory, so that renaming is one step.
    package let temporaryPath: String

    /// Makes the file, empty, with the mode that the process's mask leaves of `mode`.
    ///
    /// The name is a new one, so that no link that another user has put there decides what is overwritten.
    package init(_ path: String, mode: mode_t = 0o666) throws(SystemError) {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        while true {
            let number = String(UInt64.random(in: 0 ... .max), radix: 36)
            let name = "\(path[..<slash]).\(path[slash...]).\(number).part"
            let descriptor = open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode)
            guard descriptor < 0 else {
                close(descriptor)
                temporaryPath = name
                return
            }
            guard errno == EEXIST else { throw SystemError("write \(path)", errno) }
        }
    }

    deinit { unlink(temporaryPath) }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        let descriptor = open(temporaryPath, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("write \(path)", errno) }
        var rest = bytes[...]
        var failure: CInt = 0
        while !rest.isEmpty, failure == 0 {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
        }
        // A full disk of another machine may show only now.
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure == 0 else { throw SystemError("write \(path)", failure) }
    }

    /// Writes a whole file.
    ///
    /// - Parameters:
    ///   - bytes: what it holds.
    ///   - path: its name.
    ///   - mode: as for `init`.
    ///   - keepsOwner: whether it gets the owner, the group and the mode of the file whose place it takes.
    /// - Throws: `SystemError`; a file that was there is as before then.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to path: String,
        mode: mode_t = 0o666,
        keepsOwner: Bool = false
    ) throws(SystemError) {
        let file = try PendingFile(path, mode: mode)
        var present = stat()
        if keepsOwner, stat(path, &present) == 0 {
            // The owner first: a change of it takes away some bits of the mode.
            guard chown(file.temporaryPath, present.st_uid, present.st_gid) == 0,
                chmod(file.temporaryPath, present.st_mode & 0o7777) == 0
            else { throw SystemError("write \(path)", errno) }
        }
        try file.write(bytes)
        try file.commit()
    }

    /// Gives the file its name, in place of one that was there.
    package func commit() throws(SystemError) {
        guard rename(temporaryPath, path) == 0 else { throw SystemError("write \(path)", errno) }
    }
}
