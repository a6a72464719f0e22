package import Frames
import MediaFiles
package import OverlayRendering

package final class PreviewDecoder {
    /// The newest picture.
    package let picture = Picture()

    private let decoder: JPEGDecoder

    package init() throws { decoder = try JPEGDecoder() }

    package func decode(_ new: PreviewPicture, target: FrameSize? = nil) throws {
        switch new.content {
        case .jpeg(let bytes): try picture.update(from: try decoder.decode(bytes, for: target), target: target)
        case .frame(let frame): try picture.update(from: frame, target: target)
        }
    }
}
