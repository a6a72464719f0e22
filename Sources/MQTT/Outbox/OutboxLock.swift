/// Keeps other processes from using an outbox, from its creation to the end of its last reference.
///
/// The kernel drops the lock with the process, however that ends, and with the first descriptor of its file that the
/// process closes. The lock's file stays: empty if the outbox has all numbers that were used, one byte long otherwise.
/// A full disk takes such a length, because it needs no block.
final class OutboxLock: Sendable {
    /// Whether an earlier process used numbers that it could not write.
    let foundStale: Bool
    private let descriptor: CInt
    private let name: String
    private let identity: [UInt64]

    /// Takes the lock; makes the directories that lead to the outbox. Throws `OutboxInUse` if another process has it,
    /// or `SystemError`.
    init(of path: String) throws {
        try Self.makeDirectory(of: path)
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

    /// Whether the lock's file is still in its place, where another process looks for it.
    var isInPlace: Bool { (try? OutboxFile.identity(of: name)) == identity }

    /// Notes for the next process whether numbers are in use that the outbox does not have.
    func note(isStale: Bool) { _ = ftruncate(descriptor, isStale ? 1 : 0) }

    private static func makeDirectory(of path: String) throws {
        var directory = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            directory += "/" + part
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
                throw SystemError("make the directory \(directory)", errno)
            }
        }
    }

    private static func name(of process: pid_t) -> String {
        guard process > 0 else { return "another process" }
        let name = try? SmallFile.firstLine(of: "/proc/\(process)/comm")
        return "process \(process)" + (name.map { " (\($0))" } ?? "")
    }
}

/// The error that another process uses the outbox.
package struct OutboxInUse: Error, CustomStringConvertible {
    package let path: String
    /// The other process, such as `process 812 (facetd)`.
    package let holder: String

    package var description: String {
        "the outbox \(path) is in use by \(holder), which would send the same events: end that process, or give this one "
            + "its own outbox.path"
    }
}
