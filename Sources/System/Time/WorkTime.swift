import CLinux

/// Whether the kernel says that the machine's clock is not synchronised to a time server.
package func isClockAdrift() -> Bool { clock_is_adrift() != 0 }

/// Returns the reading of a clock in nanoseconds.
package func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The time that some work took, in seconds: the elapsed time, and the processor time of the thread.
package struct WorkTime: Equatable, Sendable {
    package private(set) var elapsed = 0.0
    package private(set) var processor = 0.0

    package init() {}

    /// Runs `body`, and adds the time that it takes on this thread.
    package mutating func measure<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let clock = nanoseconds(of: CLOCK_MONOTONIC)
        let processor = Self.ofThread
        defer {
            elapsed += Double(nanoseconds(of: CLOCK_MONOTONIC) - clock) / 1e9
            self.processor += Self.ofThread - processor
        }
        return try body()
    }

    /// The processor time that the calling thread has used so far, in seconds.
    package static var ofThread: Double { Double(nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)) / 1e9 }
}
