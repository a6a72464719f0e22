/// Keeps other processes from using an outbox, while this object exists.
///
/// The kernel releases the lock at the end of the process, or when the process closes any descriptor of the lock's
/// file. The file stays. This file is empty if the outbox has all event numbers that were used, otherwise one byte
/// long. Even on a full disk a file can be given that length, because this allocates no block.
final class OutboxLock: Sendable {
    /// Whether an earlier process used event numbers that it could not write into the outbox.
    let foundStale: Bool
    private let descriptor: CInt
    private let name: String
    private let identity: [UInt64]

    /// Takes the lock, after making missing directories. Throws `OutboxInUse` if another process has it.
    init(of path: String) throws {
        let directory = path.dropFirst().lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard makeDirectories(directory, mode: 0o700) == 0 else {
            throw SystemError("make the directory \(directory)", errno)
        }
        name = path + ".lock"
        descriptor = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("make \(name)", errno) }
        var status = stat()
        fstat(descriptor, &status)
        identity = OutboxFile.identity(status)
        foundStale = status.st_size > 0
        // A lock of the process, which a forked child does not inherit.
        var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        guard fcntl(descriptor, F_SETLK, &lock) != 0 else { return }
        let code = errno
        guard code == EAGAIN || code == EACCES else { throw SystemError("lock \(name)", code) }
        _ = fcntl(descriptor, F_GETLK, &lock)
        throw OutboxInUse(path: path, holder: Self.name(of: lock.l_pid))
    }

    deinit { close(descriptor) }

    /// Whether the lock's file still has its name, under which another process looks for it.
    var isInPlace: Bool { (try? OutboxFile.identity(of: name)) == identity }

    /// Records, for the next process, whether event numbers are in use that the outbox does not have.
    func note(isStale: Bool) { _ = ftruncate(descriptor, isStale ? 1 : 0) }

    private static func name(of process: pid_t) -> String {
        guard process > 0 else { return "another process" }
        let name = try? SmallFile.firstLine(of: "/proc/\(process)/comm")
        return "process \(process)" + (name.map { " (\($0))" } ?? "")
    }
}

/// The error thrown if another process uses the outbox.
package struct OutboxInUse: Error, CustomStringConvertible {
    package let path: String
    /// The other process, such as `process 812 (facetd)`.
    package let holder: String

    package var description: String {
        "the outbox \(path) is in use by \(holder), which would send the same events: end that process, or give this one "
            + "its own outbox.path"
    }
}
