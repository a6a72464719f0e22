/// Gives every frame of a source its number and its times, also across losses. Its clocks are parameters. A driver's
/// stamp that can't be true (zero, in the future, by another clock) is replaced by the time of the fetch.
struct FrameTimeline {
    /// The longest time between a capture and its fetch that is believed, in nanoseconds.
    private static let oldest: Int64 = 10_000_000_000

    /// The drift between wall clock and monotonic clock, in nanoseconds, above which the wall clock counts as set (by
    /// the network after boot) or the machine as suspended: slewing moves both alike.
    private static let clockStep: Int64 = 50_000_000
    /// The largest jump in sequence numbers that counts as a gap, and not as a confused driver.
    private static let largestGap: UInt32 = 100_000

    /// The number of the frame that `advance` was last called for.
    private(set) var number = -1
    private var lastSequence: UInt32?
    private var firstInstant: Int64?
    private var lastInstant = Int64.min
    private var wallOffset: Int64?

    mutating func beginStream() {
        lastSequence = nil
        wallOffset = nil
    }

    /// Counts a frame, good or not.
    /// - Parameter sequence: The driver's number; nil if it can't be trusted, as in an empty buffer.
    /// - Returns: The number of frames missing before it.
    mutating func advance(to sequence: UInt32?) -> Int {
        var gap = 0
        if let sequence {
            let step = sequence &- (exchange(&lastSequence, with: sequence) ?? sequence)
            if step > 1, step <= Self.largestGap { gap = Int(step) - 1 }
        }
        number += 1 + gap
        return gap
    }

    /// Stamps a frame by the buffer's time in nanoseconds, nil if its clock is unknown, and the clocks at the fetch.
    /// - Returns: The stamp, later than the one before, and the capture time in monotonic nanoseconds.
    mutating func moment(of number: Int, driver: Int64?, now: ClockReading) -> (stamp: FrameStamp, instant: Int64) {
        var instant = now.monotonic
        if let driver, driver > 0, driver <= now.monotonic, now.monotonic - driver < Self.oldest { instant = driver }
        // Strictly later than the one before, since code divides by the difference.
        if instant <= lastInstant { instant = lastInstant + 1 }
        lastInstant = instant
        let first = firstInstant ?? instant
        firstInstant = first

        let offset = now.wall - now.monotonic
        if wallOffset.map({ abs(offset - $0) >= Self.clockStep }) ?? true { wallOffset = offset }
        let time = Timestamp(nanoseconds: instant + (wallOffset ?? offset))
        return (FrameStamp(frame: number, time: time, mediaTime: Double(instant - first) / 1e9), instant)
    }
}
