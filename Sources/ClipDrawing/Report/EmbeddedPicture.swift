import Companion
import FaceMetadata
import Foundation
import Frames
import OverlayRendering

/// Pictures in pages that are one file and need no other.
enum EmbeddedPicture {
    /// Draws a part of a picture in a scale, with what `draw` adds to it.
    ///
    /// - Returns: the source of an `img`; nil if the part has no area.
    static func source(
        _ part: NormalizedRect,
        of picture: Picture,
        scale: Double,
        with encoder: JPEGEncoder,
        draw: (Canvas, PreviewLayerGeometry) -> Void = { _, _ in }
    ) throws -> String? {
        guard let size = picture.uprightSize else { return nil }
        let canvas = try Canvas(
            pixelSize: FrameSize(
                width: max(1, Int(part.width * Double(size.width) * scale)),
                height: max(1, Int(part.height * Double(size.height) * scale))
            )
        )
        guard
            let geometry = PreviewLayerGeometry(
                size: canvas.size,
                pictureSize: size,
                videoGravity: .resizeAspectFill,
                cleanAperture: part
            )
        else { return nil }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        draw(canvas, geometry)
        let jpeg = try canvas.withFrame { try encoder.encode($0) }
        return "data:image/jpeg;base64,\(Data(jpeg).base64EncodedString())"
    }
}
