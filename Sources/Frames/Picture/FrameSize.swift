/// A picture's size in pixels.
public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
    /// The number of pixels in a row.
    public var width: Int
    /// The number of rows of pixels.
    public var height: Int

    /// Makes a size from its width and height in pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The size that is requested from cameras by default. It is large enough for finding faces.
    package static let usual = FrameSize(width: 640, height: 480)

    /// Returns the size scaled down to a width of at most `maximum` pixels; nil for no limit. Sides are at least 1.
    package func limited(toWidth maximum: Int?) -> FrameSize {
        guard let maximum, width > maximum else { return self }
        return FrameSize(width: max(1, maximum), height: max(1, height * max(1, maximum) / width))
    }

    /// The size as people and settings write it, such as `640x480`.
    public var description: String { "\(width)x\(height)" }
}
