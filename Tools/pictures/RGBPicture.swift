package import Frames

/// A picture as rows of R, G, B in memory of its own, upright, to be drawn on.
package struct RGBPicture: Sendable {
    package var size: FrameSize

    /// Three bytes a pixel, rows from the top, no gaps.
    package var bytes: [UInt8]

    package init(size: FrameSize, bytes: [UInt8]) {
        precondition(bytes.count == size.width * size.height * 3, "a pixel has three bytes")
        self.size = size
        self.bytes = bytes
    }

    /// Converts a frame of any format.
    package init(_ frame: Frame) throws(FrameError) { (bytes, size) = try frame.rgb() }
}
