import CV4L2
import Glibc
import SystemPackage

/// Wakes a thread that waits in `poll`, once and for all.
final class StopSignal: Sendable {
    /// Readable from the moment of `raise` on.
    let descriptor: CInt

    init() throws(Errno) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw Errno(rawValue: Glibc.errno) }
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable; from any thread, more than once.
    func raise() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
