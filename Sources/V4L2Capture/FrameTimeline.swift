import FaceMetadata

/// Gives every frame of a source its number and its times, over losses and returns of the camera.
///
/// Pure: the clocks are parameters. Driver stamps that can't be true (zero, in the future, by another clock) are replaced
/// by the time at which the frame was fetched.
struct FrameTimeline {
    /// A stamp further back than this is no capture time, in nanoseconds: a frame is fetched within seconds.
    private static let oldest: Int64 = 10_000_000_000

    /// Wall clock and monotonic clock may drift apart by this before the wall clock counts as set, in nanoseconds.
    ///
    /// Slewing moves both alike, so a difference means that the time was set (a board without a battery clock gets
    /// its time from the network after boot) or that the machine slept.
    private static let clockStep: Int64 = 50_000_000
    /// A jump in sequence numbers beyond this is a confused driver and no gap.
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

    /// A frame came, good or not.
    /// - Parameter sequence: the driver's number; nil if it can't be trusted, as in an empty buffer.
    /// - Returns: how many frames are missing before it.
    mutating func advance(to sequence: UInt32?) -> Int {
        var gap = 0
        if let sequence {
            let step = sequence &- (exchange(&lastSequence, with: sequence) ?? sequence)
            if step > 1, step <= Self.largestGap { gap = Int(step) - 1 }
        }
        number += 1 + gap
        return gap
    }

    /// Number and times of a frame, by the buffer's stamp in nanoseconds, nil if it is by a clock we don't know, and the clocks as
    /// the frame was fetched.
    /// - Returns: Number and times, later than those of the frame before, and when it was captured in nanoseconds of the monotonic
    ///   clock.
    mutating func moment(of number: Int, driver: Int64?, now: ClockReading) -> (stamp: FrameStamp, instant: Int64) {
        var instant = now.monotonic
        if let driver, driver > 0, driver <= now.monotonic, now.monotonic - driver < Self.oldest { instant = driver }
        // Strictly later than the one before: code that divides by the distance relies on it.
        if instant <= lastInstant { instant = lastInstant + 1 }
        lastInstant = instant
        let first = firstInstant ?? instant
        firstInstant = first

        let offset = now.wall - now.monotonic
        if let known = wallOffset, abs(offset - known) < Self.clockStep {} else { wallOffset = offset }
        let time = Timestamp(nanoseconds: instant + (wallOffset ?? offset))
        return (FrameStamp(frame: number, time: time, mediaTime: Double(instant - first) / 1e9), instant)
    }
}
