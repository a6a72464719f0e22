/// The properties of a source's stream, for logs and the published status.
public struct StreamDescription: Hashable, Sendable {
    /// The device, file or address, without credentials.
    public var name: String
    /// The size of the frames in pixels, before `orientation` is applied.
    public var size: FrameSize
    /// The pixel format or codec, by its usual name (`YUYV`, `MJPG`, `h264`).
    public var format: String
    /// The number of frames per second; nil if the source does not state it.
    public var rate: Double?
    /// The turn that makes the frames upright.
    public var orientation: Orientation
    /// Whether frames come in real time and may be dropped. Otherwise the source waits until each frame is taken.
    public var isLive: Bool
    /// What decodes the pictures: `software`, or a device such as `VA-API on /dev/dri/renderD128`; nil if unknown.
    public var decoder: String?
    /// The reason why software decodes although hardware was requested or tried, with a remedy; nil otherwise.
    public var decoderDetail: String?
    /// What is wrong with the pictures' timestamps, and how they are corrected; nil while nothing is.
    public var timesDetail: String?
    /// The size of the frames in pixels, after `orientation` is applied.
    public var uprightSize: FrameSize { orientation.uprightSize(of: size) }

    /// The description on one line: `/dev/video0: YUYV 640x480 at 30.0 frames/s`, then the decoder and timing faults.
    public var summary: String {
        let rate = rate.map { " at \(($0 * 100).rounded() / 100) frames/s" } ?? ""
        let decoder = decoder.map { ", decoded by \($0)" } ?? ""
        return "\(name): \(format) \(size)\(rate)\(decoder)\(decoderDetail.map { ", because \($0)" } ?? "")"
            + (timesDetail.map { "; \($0)" } ?? "")
    }

    /// Makes a description of a stream.
    public init(
        name: String,
        size: FrameSize,
        format: String,
        rate: Double?,
        orientation: Orientation = .up,
        isLive: Bool = true
    ) {
        (self.name, self.size, self.format, self.rate) = (name, size, format, rate)
        self.orientation = orientation
        self.isLive = isLive
    }
}
