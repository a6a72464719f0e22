import FaceMetadata
import Foundation
import Frames
import OverlayRendering

/// Pictures in pages that are one file and need no other.
enum EmbeddedPicture {
    /// The source of an `img` with a part of a picture in a scale and what `draw` adds; nil if the part has no area.
    static func source(
        _ part: NormalizedRect,
        of picture: Picture,
        scale: Double,
        with encoder: JPEGEncoder,
        draw: (Canvas, PreviewLayerGeometry) -> Void = { _, _ in }
    ) throws -> String? {
        try picture.jpeg(of: part, scale: scale, with: encoder, draw)
            .map { "data:image/jpeg;base64,\(Data($0).base64EncodedString())" }
    }
}
