import FaceMetadata
import Testing

@testable import V4L2Capture

@Suite("Frame timeline")
struct FrameTimelineTests {
    static let second: Int64 = 1_000_000_000
    var timeline = FrameTimeline()

    /// The clocks, with the wall clock at 1 000 000 s when the monotonic one is at 0.
    func clocks(_ monotonic: Double, wallOffset: Double = 1_000_000) -> ClockReading {
        ClockReading(monotonic: Int64(monotonic * 1e9), wall: Int64((monotonic + wallOffset) * 1e9))
    }

    init() { timeline.beginStream() }

    @Test("keeps the driver's stamp, and turns it into wall time and media time")
    mutating func keepsDriverStamp() {
        _ = timeline.advance(to: 0)
        let first = timeline.moment(of: timeline.number, driver: 99 * Self.second, now: clocks(99.02))
        #expect(
            first.stamp == FrameStamp(frame: 0, time: Timestamp(nanoseconds: 1_000_099 * Self.second), mediaTime: 0)
        )
        _ = timeline.advance(to: 1)
        let second = timeline.moment(of: timeline.number, driver: 99 * Self.second + 33_000_000, now: clocks(99.05))
        #expect(second.stamp.frame == 1)
        #expect(second.stamp.mediaTime == 0.033)
        #expect(second.instant == 99 * Self.second + 33_000_000)
    }

    @Test(
        "a stamp that can't be true gives way to the time of fetching",
        arguments: [nil, 0, -5, 100 * second + 25_000_000, 20 * second] as [Int64?]
    )
    mutating func catchesBadStamps(_ stamp: Int64?) {
        _ = timeline.advance(to: 0)
        #expect(timeline.moment(of: timeline.number, driver: stamp, now: clocks(100)).instant == 100 * Self.second)
    }

    @Test("times only grow, even if the driver's stamps step back")
    mutating func neverStepsBack() {
        _ = timeline.advance(to: 0)
        let first = timeline.moment(of: timeline.number, driver: 50 * Self.second, now: clocks(50))
        _ = timeline.advance(to: 1)
        let second = timeline.moment(of: timeline.number, driver: 49 * Self.second, now: clocks(50))
        #expect(second.instant == first.instant + 1)
        #expect(second.stamp.mediaTime > first.stamp.mediaTime)
    }

    @Test("reads the wall clock once, so that its jitter does not show")
    mutating func keepsWallOffset() {
        _ = timeline.advance(to: 0)
        let first = timeline.moment(of: timeline.number, driver: 10 * Self.second, now: clocks(10))
        _ = timeline.advance(to: 1)
        let second = timeline.moment(
            of: timeline.number,
            driver: 11 * Self.second,
            now: clocks(11, wallOffset: 1_000_000.01)
        )
        #expect(second.stamp.time.seconds(since: first.stamp.time) == 1)
    }

    @Test("follows when the wall clock is set, and when the machine slept: media time does not")
    mutating func followsClockSetting() {
        _ = timeline.advance(to: 0)
        let first = timeline.moment(of: timeline.number, driver: 10 * Self.second, now: clocks(10))
        _ = timeline.advance(to: 1)
        let second = timeline.moment(
            of: timeline.number,
            driver: 11 * Self.second,
            now: clocks(11, wallOffset: 1_003_600)
        )
        #expect(second.stamp.time.seconds(since: first.stamp.time) == 3601)
        #expect(second.stamp.mediaTime == 1)
    }

    @Test(
        "counts what is missing in the sequence",
        arguments: [([0, 1, 2], 0), ([0, 2], 1), ([5, 9], 3), ([3, 0], 0), ([0, 0], 0), ([0, 4_000_000_000], 0)]
            as [([UInt32], Int)]
    )
    mutating func countsGaps(_ sequence: [UInt32], _ missing: Int) {
        var gaps = 0
        for number in sequence { gaps += timeline.advance(to: number) }
        #expect(gaps == missing)
        #expect(
            timeline.moment(of: timeline.number, driver: nil, now: clocks(1)).stamp.frame == sequence.count - 1
                + missing
        )
    }

    @Test("counts over the end of the numbers, and not over buffers without one")
    mutating func countsOverWrap() {
        #expect(timeline.advance(to: .max) == 0)
        #expect(timeline.advance(to: 1) == 1)
        #expect(timeline.advance(to: nil) == 0)
        #expect(timeline.advance(to: 2) == 0)
    }

    @Test("frame numbers and media time go on in the next stream, sequence numbers begin anew")
    mutating func goesOn() {
        _ = timeline.advance(to: 100)
        _ = timeline.moment(of: timeline.number, driver: 10 * Self.second, now: clocks(10))
        timeline.beginStream()
        #expect(timeline.advance(to: 500) == 0)
        let next = timeline.moment(of: timeline.number, driver: 20 * Self.second, now: clocks(20))
        #expect(next.stamp.frame == 1)
        #expect(next.stamp.mediaTime == 10)
    }
}
