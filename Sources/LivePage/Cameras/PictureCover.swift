import Companion
import FaceInference
import FaceMetadata
import Frames
import OverlayRendering

/// Searches preview pictures for faces, and makes faces in them unrecognisable, before pages get them.
final class PictureCover {
    /// The most pixels of a preview picture that is passed on: a page that opened a larger one would run out of memory.
    private static let mostPixels = 16_000_000

    private let decoder: JPEGDecoder
    private let picture = Picture()
    private let encoder: JPEGEncoder
    private let check: FaceCheck?

    /// Makes it, with models that search pictures for faces if all pages get an overlay that hides them.
    init(isChecking: Bool) throws {
        decoder = try JPEGDecoder()
        encoder = try JPEGEncoder(quality: 85)
        check = isChecking ? try FaceCheck() : nil
    }

    var isChecking: Bool { check != nil }
    /// A frame of a session in this program as pages get pictures; empty if it cannot be encoded.
    func jpeg(of frame: Frame) -> [UInt8] { (try? encoder.encode(frame)) ?? [] }

    /// What a picture's header states; nil if it is no JPEG, or too large to be passed on.
    func size(of picture: PreviewPicture) -> FrameSize? {
        let size = picture.jpeg.withUnsafeBytes { try? decoder.size(of: $0) }
        return size.flatMap { $0.width * $0.height <= Self.mostPixels ? $0 : nil }
    }

    /// Where faces are or may be in a picture; nil if it cannot be searched, and must not be shown then.
    func faces(in picture: PreviewPicture) -> [NormalizedRect]? {
        try? check?.faces(in: try decoder.decode(picture.jpeg))
    }

    /// Draws an overlay at a scene's faces, and at those that were found in the picture, into it; returns that as a JPEG, and
    /// throws if the picture cannot be decoded.
    func jpeg(_ shown: CheckedPicture, _ scene: Scene, overlay: any Overlay, at seconds: Double) throws -> [UInt8]? {
        try picture.update(from: try decoder.decode(shown.picture.jpeg))
        return try picture.jpeg(with: encoder) { canvas, geometry in
            canvas.draw(scene, geometry, overlay: overlay, at: seconds)
            let unnamed = shown.faces.compactMap {
                geometry.transformed(FaceObject(faceID: FaceID(rawValue: 0), bounds: $0, confidence: 1))
            }
            overlay.draw(unnamed, snapshotFlash: 0, on: canvas)
        }
    }
}
