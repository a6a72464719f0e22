/// A file that is written under a temporary name and gets its own when it is whole; else nothing is left of it.
package final class PendingFile: Sendable {
    package let path: String
    /// The temporary name: in the same directory, so that renaming is one step.
    package let temporaryPath: String
    /// Descriptor, locked as long as this object exists: a file without a lock was left by a program that was killed.
    private let descriptor: CInt
    /// The ending of temporary names, which no other program uses, so that leftovers can be removed.
    private static let ending = ".facet-part"

    /// Makes the empty file, with the mode that the process's mask leaves of `mode`, and removes leftovers.
    ///
    /// Its name is new: no link of another user's decides what is overwritten, and of programs that write the same file
    /// the last one to finish wins.
    package init(_ path: String, mode: mode_t = 0o666) throws(SystemError) {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // A name may have all the bytes that the file system allows.
        let directory = String(path[..<slash])
        let prefix = ".\(path[slash...].prefix(bytes: 100))."
        Self.removeLeftovers(in: directory, prefix)
        while true {
            let number = String(UInt64.random(in: 0 ... .max), radix: 36)
            let name = directory + prefix + number + Self.ending
            let descriptor = open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw SystemError("write \(path)", errno)
            }
            var made = stat()
            // Another program may have taken it for left before it was locked. Not every file system has locks.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, fstat(descriptor, &made) == 0,
                made.st_nlink > 0
            {
                temporaryPath = name
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        unlink(temporaryPath)
        close(descriptor)
    }

    private static func removeLeftovers(in directory: String, _ prefix: String) {
        for name in names(in: directory.isEmpty ? "." : directory)
        where name.hasPrefix(prefix) && name.hasSuffix(ending) {
            guard UInt64(name.dropFirst(prefix.count).dropLast(ending.count), radix: 36) != nil else { continue }
            let descriptor = open(directory + name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(directory + name) }
            close(descriptor)
        }
    }

    /// Writes a whole file, with the mode as for `init`. With `keepsOwner` it gets owner, group and mode of the file
    /// that it replaces, which a person edits, and is on the disk before that, so that no power failure loses both.
    /// - Throws: `SystemError`; a file that was there is as before then.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to path: String,
        mode: mode_t = 0o666,
        keepsOwner: Bool = false
    ) throws(SystemError) {
        let file = try PendingFile(path, mode: mode)
        if keepsOwner, let present = fileStatus(path) {
            // The owner first: a change of it takes away some bits of the mode.
            guard fchown(file.descriptor, present.st_uid, present.st_gid) == 0,
                fchmod(file.descriptor, present.st_mode & 0o7777) == 0
            else { throw SystemError("write \(path)", errno) }
        }
        let code = writeAll(bytes, to: file.descriptor)
        guard code == 0 else { throw SystemError("write \(path)", code) }
        // A full disk of another machine may show only when a descriptor is closed.
        let copy = dup(file.descriptor)
        guard copy >= 0, close(copy) == 0, !keepsOwner || fsync(file.descriptor) == 0 else {
            throw SystemError("write \(path)", errno)
        }
        try file.commit()
    }

    /// Gives the file its name, replacing a file of that name.
    package func commit() throws(SystemError) {
        guard rename(temporaryPath, path) == 0 else { throw SystemError("write \(path)", errno) }
    }
}
