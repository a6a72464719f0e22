/// A picture's size in pixels.
public struct FrameSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Makes a size from its width and height in pixels.
    public init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
    }

    /// The size that cameras are asked for unless a person asks for another: plenty for faces.
    package static let usual = FrameSize(width: 640, height: 480)

    /// The size as people and settings write it: `640x480`.
    public var description: String { "\(width)x\(height)" }
}
