import CLinux
package import Glibc

/// The machine's clock.
package enum SystemClock {
    /// Whether the kernel says that the clock does not follow a time server.
    package static var isAdrift: Bool { clock_is_adrift() != 0 }
}

/// A clock's reading in nanoseconds.
package func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
