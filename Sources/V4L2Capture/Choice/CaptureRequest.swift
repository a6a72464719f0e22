/// The mode that the user wants of a camera; nil values are chosen automatically.
public struct CaptureRequest: Hashable, Sendable, CustomStringConvertible {
    /// The size in pixels as the camera delivers it, before any rotation.
    public var size: FrameSize?
    /// The frame rate, in frames per second.
    public var rate: Double?
    /// The pixel format.
    public var format: FourCC?

    /// Makes a request; nil values are chosen automatically.
    public init(size: FrameSize? = nil, rate: Double? = nil, format: FourCC? = nil) {
        (self.size, self.rate, self.format) = (size, rate, format)
    }

    /// The request in words: `1920x1080 at 60 fps in MJPG`.
    public var description: String {
        let rate = rate.map { "\(CameraSize.decimal($0)) fps" }
        let picture = [size?.description, rate].compactMap(\.self).joined(separator: " at ")
        let text = [picture, format?.description ?? ""].filter { !$0.isEmpty }.joined(separator: " in ")
        return text.isEmpty ? "any format" : text
    }
}
