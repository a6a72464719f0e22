/// Gives every frame of a source its number and its times, which continue after a loss of the camera. Timestamps of the
/// driver that cannot be true (zero, in the future, by another clock) are replaced by the time of arrival.
struct FrameTimeline {
    /// The maximum age at which a driver's timestamp is believed, in nanoseconds.
    private static let oldest: Int64 = 10_000_000_000

    /// The minimum change of the offset between wall clock and monotonic clock, in nanoseconds, that shows that the
    /// wall clock was set or the machine suspended. Slewing does not count, since it moves both clocks alike.
    private static let clockStep: Int64 = 50_000_000
    /// The maximum jump in sequence numbers that counts as missing frames, and not as an error of the driver.
    private static let largestGap: UInt32 = 100_000

    /// The number of the last frame that `advance` counted.
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
    /// - Parameter sequence: The driver's sequence number; nil if it cannot be trusted, as that of an empty buffer.
    /// - Returns: The number of frames missing before this frame.
    mutating func advance(to sequence: UInt32?) -> Int {
        var gap = 0
        if let sequence {
            let step = sequence &- (exchange(&lastSequence, with: sequence) ?? sequence)
            if step > 1, step <= Self.largestGap { gap = Int(step) - 1 }
        }
        number += 1 + gap
        return gap
    }

    /// Stamps a frame by `driver`, the buffer's timestamp in monotonic nanoseconds (nil if unknown), or else by `now`.
    /// - Returns: The stamp, later than the last one, and the capture time in monotonic nanoseconds.
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
