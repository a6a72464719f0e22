/// A file that is written under a temporary name, and renamed when it is complete. Otherwise it is removed.
package final class PendingFile: Sendable {
    package let path: String
    /// The temporary path, in the same directory, so that renaming is atomic.
    package let temporaryPath: String
    /// The file's descriptor, locked while this object exists. An unlocked file is left over from a killed program.
    private let descriptor: CInt
    /// The suffix of temporary names. No other program uses it, so leftover files can be recognised and removed.
    private static let ending = ".facet-part"

    /// Makes the empty file, whose mode is `mode` without the bits of the process's umask, and removes leftover files.
    ///
    /// The temporary name is random, so no link of another user can redirect it. The last of several writers wins.
    package init(_ path: String, mode: mode_t = 0o666) throws(SystemError) {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // The name itself may be as long as the file system allows, so only its beginning is used.
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
            // Before it was locked, another program may have removed it as left over. Not every file system has locks.
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

    /// Writes a whole file, with `mode` as in `init`. With `keepsOwner`, keeps the owner, group and mode of a replaced
    /// file, and flushes the new file before renaming it, so that a power failure leaves either file complete.
    /// - Throws: `SystemError`. An existing file is then unchanged.
    package static func write(
        _ bytes: UnsafeRawBufferPointer,
        to path: String,
        mode: mode_t = 0o666,
        keepsOwner: Bool = false
    ) throws(SystemError) {
        let file = try PendingFile(path, mode: mode)
        if keepsOwner, let present = fileStatus(path) {
            // The owner comes first, because changing it clears some bits of the mode.
            guard fchown(file.descriptor, present.st_uid, present.st_gid) == 0,
                fchmod(file.descriptor, present.st_mode & 0o7777) == 0
            else { throw SystemError("write \(path)", errno) }
        }
        let code = writeAll(bytes, to: file.descriptor)
        guard code == 0 else { throw SystemError("write \(path)", code) }
        // On a network file system, a full disk may only be reported when a descriptor is closed.
        let copy = dup(file.descriptor)
        guard copy >= 0, close(copy) == 0, !keepsOwner || fsync(file.descriptor) == 0 else {
            throw SystemError("write \(path)", errno)
        }
        try file.commit()
    }

    /// Renames the file to its final name, replacing an existing file.
    package func commit() throws(SystemError) {
        guard rename(temporaryPath, path) == 0 else { throw SystemError("write \(path)", errno) }
    }
}
