import CMosquitto
import Glibc

/// Wakes a thread that polls.
final class Doorbell: Sendable {
    /// For `poll`: readable after a ring.
    let descriptor: CInt

    init() throws(MQTTError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .resources("make an eventfd", String(cString: strerror(errno))) }
    }

    deinit {
        close(descriptor)
    }

    /// Wakes the thread, now or when it next polls.
    func ring() {
        // Fails only when it has been rung 2^64 times unanswered.
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits for a ring, for the socket to be ready, or for the time to be over.
    ///
    /// - Returns: whether the socket can be read and written. Errors count as readable: reading will tell.
    func wait(socket: CInt, wantsToWrite: Bool, nanoseconds: Int64) -> (readable: Bool, writable: Bool) {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN) | (wantsToWrite ? Int16(POLLOUT) : 0), revents: 0),
        ]
        // Rounded up: waking early would only poll again.
        let milliseconds = CInt(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        guard poll(&descriptors, 2, milliseconds) > 0 else { return (false, false) }
        if descriptors[0].revents != 0 {
            var rings: eventfd_t = 0
            _ = eventfd_read(descriptor, &rings)
        }
        let ready = Int32(descriptors[1].revents)
        return (ready & (POLLIN | POLLERR | POLLHUP) != 0, ready & POLLOUT != 0)
    }
}
