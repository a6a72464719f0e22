/// The number of a frame and the time at which it was captured. Each source stamps its frames, so that later stages
/// need no clock.
public struct FrameStamp: Hashable, Sendable {
    /// The frame's index in its source, from 0. Dropped frames are counted too.
    public var frame: Int
    /// The wall-clock time of the capture.
    public var time: Timestamp
    /// The seconds since the source's first frame, on a monotonic clock.
    public var mediaTime: Double
    /// The maximum media time, in seconds, that is accepted: about 30 years.
    package static let longestMediaTime = 1e9
    /// The placeholder for a picture that no source has stamped.
    package static let unset = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)

    /// Makes a stamp from the frame's index in its source, its capture time and its seconds since the first frame.
    public init(frame: Int, time: Timestamp, mediaTime: Double) {
        (self.frame, self.time, self.mediaTime) = (frame, time, mediaTime)
    }
}
