/// The number of a frame and the time at which it was captured.
///
/// The capture gives every frame its stamp, so nothing after the capture asks a clock.
public struct FrameStamp: Hashable, Sendable {
    /// The frame's index in its source, from 0; dropped frames count.
    public var frame: Int
    /// The capture time by the wall clock.
    public var time: Timestamp
    /// The seconds since the source's first frame, on a clock that never steps back.
    public var mediaTime: Double
    /// The longest media time, in seconds, that is believed: 30 years.
    package static let longestMediaTime = 1e9
    /// The stamp of a picture to which no source has given one.
    package static let unset = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)

    /// Makes a stamp from the frame's index in its source, its capture time and its seconds since the first frame.
    public init(frame: Int, time: Timestamp, mediaTime: Double) {
        (self.frame, self.time, self.mediaTime) = (frame, time, mediaTime)
    }
}
