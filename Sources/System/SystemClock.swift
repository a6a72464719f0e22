import CLinux

package enum SystemClock {
    /// Whether the kernel says that the clock does not follow a time server.
    package static var isAdrift: Bool { clock_is_adrift() != 0 }
}

extension Duration {
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
