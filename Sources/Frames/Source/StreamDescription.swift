/// The stream of a source, for logs and the status.
public struct StreamDescription: Hashable, Sendable {
    /// The device, file or address, without credentials.
    public var name: String
    /// The size of the frames as stored.
    public var size: FrameSize
    /// The pixel format or codec, by the usual name for it (`YUYV`, `MJPG`, `h264`).
    public var format: String
    /// Frames per second, if the source says.
    public var rate: Double?
    /// The turn that makes the frames upright.
    public var orientation: Orientation
    /// Whether frames come at their own time and may be dropped; otherwise the source waits for each to be taken.
    public var isLive: Bool
    /// The decoder of the pictures, if known: `software`, or a device such as `VA-API on /dev/dri/renderD128`.
    public var decoder: String?
    /// The reason why the decoder is not the requested device, or not the first one, and what to do.
    public var decoderDetail: String?
    /// The error of its pictures' times, and what is done about it; nil while the times are believed.
    public var timesDetail: String?
    /// The size of the upright frames.
    public var uprightSize: FrameSize { orientation.uprightSize(of: size) }

    /// The description on one line: `/dev/video0: YUYV 640x480 at 30.0 frames/s`, the decoder, and faults of its times.
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
