import Glibc

/// How long work took, in seconds: by the clock, and of its thread's processor time.
package struct WorkTime: Equatable, Sendable {
    package private(set) var elapsed = 0.0
    package private(set) var processor = 0.0

    package init() {}

    /// Adds what `body` takes on this thread.
    package mutating func measure<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (clock, processor) = (nanoseconds(of: CLOCK_MONOTONIC), Self.ofThread)
        defer {
            elapsed += Double(nanoseconds(of: CLOCK_MONOTONIC) - clock) / 1e9
            self.processor += Self.ofThread - processor
        }
        return try body()
    }

    /// The processor time that this thread has used, in seconds.
    package static var ofThread: Double { Double(nanoseconds(of: CLOCK_THREAD_CPUTIME_ID)) / 1e9 }
}
