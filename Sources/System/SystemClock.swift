import CLinux

/// The machine's clock.
package enum SystemClock {
    /// Whether the kernel says that the clock does not follow a time server.
    package static var isAdrift: Bool { clock_is_adrift() != 0 }
}
