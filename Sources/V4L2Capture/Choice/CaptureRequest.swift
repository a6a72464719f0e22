/// The mode that the owner wants of a camera; nil leaves the choice to the negotiation.
public struct CaptureRequest: Hashable, Sendable, CustomStringConvertible {
    /// The size in pixels as the camera stores it, before any turning.
    public var size: FrameSize?
    /// Frames per second.
    public var rate: Double?
    /// The pixel format.
    public var format: FourCC?

    /// Makes a request; what is nil is chosen.
    public init(size: FrameSize? = nil, rate: Double? = nil, format: FourCC? = nil) {
        (self.size, self.rate, self.format) = (size, rate, format)
    }

    /// What is wanted, for messages: `1920x1080 at 60 fps in MJPG`.
    public var description: String {
        let rate = rate.map { "\(CameraSize.decimal($0)) fps" }
        let picture = [size?.description, rate].compactMap(\.self).joined(separator: " at ")
        let text = [picture, format?.description ?? ""].filter { !$0.isEmpty }.joined(separator: " in ")
        return text.isEmpty ? "any format" : text
    }
}
