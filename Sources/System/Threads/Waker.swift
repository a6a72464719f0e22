import CLinux

/// Wakes a thread that waits in `poll`.
package final class Waker: Sendable {
    /// The descriptor for `poll`, which is readable from a call of `wake` until a call of `clear`.
    package let descriptor: CInt

    /// Makes a waker. Throws `SystemError` if the process has no file descriptor left.
    package init() throws(SystemError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("make an eventfd", errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the thread now, or when it polls next. Any thread may call this.
    package func wake() {
        // This only fails after 2^64 calls without a `clear`.
        _ = eventfd_write(descriptor, 1)
    }

    /// Makes the descriptor unreadable until the next `wake`.
    package func clear() {
        var wakes: eventfd_t = 0
        _ = eventfd_read(descriptor, &wakes)
    }

    /// Waits for `wake`, for an event of a descriptor, or until the time has passed. Clears the wake-up.
    /// - Returns: The events of each descriptor. An error counts as readable and writable, since reading reports it.
    package func wait(_ interests: [(descriptor: CInt, events: Int16)], nanoseconds: Int64) -> [Int16] {
        // Rounded up, because after waking early the caller would only wait again.
        let milliseconds = (min(max(0, nanoseconds), .max - 999_999) + 999_999) / 1_000_000
        guard let found = poll([(descriptor, Int16(POLLIN))] + interests, milliseconds: Int(milliseconds)) else {
            // If there is no memory for the wait, the thread must not spin.
            if errno != EINTR { usleep(100_000) }
            return interests.map { _ in 0 }
        }
        if found[0] != 0 { clear() }
        return found.dropFirst().map { $0 & Int16(POLLERR | POLLHUP) == 0 ? $0 : Int16(POLLIN | POLLOUT) }
    }
}

/// Waits for events of descriptors, ignoring negative ones, for at most the given time.
/// - Returns: The events that occurred, for each descriptor; nil if the wait failed, as `errno` explains.
package func poll(_ interests: [(descriptor: CInt, events: Int16)], milliseconds: Int) -> [Int16]? {
    var list = interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    return Glibc.poll(&list, nfds_t(list.count), CInt(clamping: milliseconds)) < 0 ? nil : list.map(\.revents)
}

/// Gives free memory of the heap back to the system.
package func releaseUnusedMemory() { malloc_trim(0) }
