import Frames
import OverlayRendering

/// Turns the daemon's preview pictures into pictures to draw over.
final class PreviewDecoder {
    /// The newest picture.
    let picture = Picture()

    private let decoder: JPEGDecoder

    /// Makes a decoder that holds no picture yet.
    init() throws {
        do {
            decoder = try JPEGDecoder()
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Decodes a JPEG into `picture`.
    ///
    /// - Parameters:
    ///   - jpeg: the file's bytes.
    ///   - target: how large the picture will be drawn; nil if all its pixels are wanted.
    /// - Throws: `JPEGError` or `CanvasError` if it is damaged or too large; the picture before stays then.
    func decode(_ jpeg: [UInt8], target: FrameSize? = nil) throws {
        try picture.update(from: try decoder.decode(jpeg, for: target), target: target)
    }
}
