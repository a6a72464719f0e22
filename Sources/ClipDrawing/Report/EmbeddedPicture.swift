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
        guard let size = picture.uprightSize else { return nil }
        let (width, height) = (part.width * Double(size.width) * scale, part.height * Double(size.height) * scale)
        let canvas = try Canvas(pixelSize: FrameSize(width: max(1, Int(width)), height: max(1, Int(height))))
        let geometry = PreviewLayerGeometry(
            size: canvas.size,
            pictureSize: size,
            videoGravity: .resizeAspectFill,
            cleanAperture: part
        )
        guard let geometry else { return nil }
        canvas.clear(.black)
        canvas.draw(picture, geometry)
        draw(canvas, geometry)
        let jpeg = try canvas.withFrame { try encoder.encode($0) }
        return "data:image/jpeg;base64,\(Data(jpeg).base64EncodedString())"
    }
}
