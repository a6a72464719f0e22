import CLinux
import Glibc

/// Wakes a thread that polls.
package final class Waker: Sendable {
    /// For `poll`: readable from `wake` until `clear`.
    package let descriptor: CInt

    /// - Throws: `SystemError` if the process has no file descriptor left.
    package init() throws(SystemError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("make an eventfd", errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the thread, now or when it next polls; from any thread.
    package func wake() {
        // Fails only when it was called 2^64 times without a `clear`.
        _ = eventfd_write(descriptor, 1)
    }

    /// Forgets the wake-ups so far.
    package func clear() {
        var wakes: eventfd_t = 0
        _ = eventfd_read(descriptor, &wakes)
    }

    /// Waits for `wake`, for a descriptor to be ready for its `poll` events, or for the time to be over; clears the
    /// wake-up.
    /// - Returns: The events that occurred, per descriptor; errors count as readable and writable, since reading
    ///   reports them.
    package func wait(_ interests: [(descriptor: CInt, events: Int16)], nanoseconds: Int64) -> [Int16] {
        var list = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        list += interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        // Rounded up: waking early would only poll again.
        let milliseconds = CInt(clamping: (min(max(0, nanoseconds), .max - 999_999) + 999_999) / 1_000_000)
        let count = poll(&list, nfds_t(list.count), milliseconds)
        // Without memory for the wait, the thread must not spin.
        if count < 0, errno != EINTR { usleep(100_000) }
        guard count > 0 else { return interests.map { _ in 0 } }
        if list[0].revents != 0 { clear() }
        return list.dropFirst().map {
            $0.revents & Int16(POLLERR | POLLHUP) == 0 ? $0.revents : Int16(POLLIN | POLLOUT)
        }
    }
}

/// Gives free blocks of the heap back to the system.
package func releaseUnusedMemory() { malloc_trim(0) }
