/// A picture's size in pixels.
public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Makes a size from its width and height in pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The size that cameras are asked for by default: plenty for faces.
    package static let usual = FrameSize(width: 640, height: 480)

    /// The size of the picture scaled down to a width of `maximum` pixels, if it is wider; at least one pixel.
    package func limited(toWidth maximum: Int?) -> FrameSize {
        guard let maximum, width > maximum else { return self }
        return FrameSize(width: max(1, maximum), height: max(1, height * max(1, maximum) / width))
    }

    /// The size as people and settings write it: `640x480`.
    public var description: String { "\(width)x\(height)" }
}
