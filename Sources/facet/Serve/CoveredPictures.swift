import Frames
import MediaFiles
import OverlayRendering

/// Makes the faces in preview pictures unrecognisable before pages get them.
final class CoveredPictures {
    private let decoder: PreviewDecoder
    private let encoder: JPEGEncoder

    /// Makes it with nothing decoded yet.
    init() throws {
        decoder = try PreviewDecoder()
        do {
            encoder = try JPEGEncoder(quality: 85)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The picture as a JPEG with the look drawn into it; nil if the picture cannot be decoded.
    func jpeg(_ picture: PreviewPicture, _ scene: Scene, look: any Look, at seconds: Double) -> [UInt8]? {
        do {
            try decoder.decode(picture.jpeg)
            guard let size = decoder.picture.uprightSize else { return nil }
            let canvas = try Canvas(pixelSize: size)
            guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size) else { return nil }
            canvas.draw(decoder.picture, geometry)
            canvas.draw(scene, geometry, look: look, at: seconds)
            try canvas.check()
            return try canvas.withPixels { pixels, bytesPerRow in
                guard let base = pixels.baseAddress else { return nil }
                let plane = Frame.Plane(base: base, bytesPerRow: bytesPerRow)
                return try encoder.encode(Frame(borrowing: plane, size: size, format: .bgra, mediaTime: 0))
            }
        } catch {
            return nil
        }
    }
}
