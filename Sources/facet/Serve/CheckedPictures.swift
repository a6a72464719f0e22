import FaceInference
import FaceMetadata
import Frames
import OverlayRendering

/// A camera's pictures under an overlay that hides faces: each was searched for faces, and is held back for a moment.
///
/// Metadata names a face from its `enter` on, which comes a tenth of a second after it was first seen, and may be lost on
/// the way. So every picture is searched here too. What was found shortly before or after, and is not found in the
/// picture itself, is covered where it was then: a detector misses a face now and again.
struct CheckedPictures {
    /// Seconds for which a picture is held back, and in which faces before and after it count.
    static let delay = 0.3

    /// Pictures held back at the same time; more come only from a preview with more than 50 a second.
    private static let capacity = 16

    struct Entry {
        var picture: PreviewPicture
        /// As its header states.
        var size: FrameSize
        /// Shares of the picture.
        var faces: [NormalizedRect]
    }

    private var waiting: [Entry] = []
    /// What was found in the pictures that waited, and those before, the oldest first.
    private var found: [(arrival: Double, faces: [NormalizedRect])] = []

    mutating func add(_ entry: Entry) {
        if waiting.count == Self.capacity { waiting.removeFirst() }
        waiting.append(entry)
        found.removeAll { entry.picture.arrival - $0.arrival > 3 * Self.delay }
        found.append((entry.picture.arrival, entry.faces))
    }

    /// Forgets the pictures: they must not be shown any more.
    mutating func removeAll() { (waiting, found) = ([], []) }

    /// The newest picture that was held back long enough, with all that is to be covered in it; once each.
    mutating func takeDue(at seconds: Double) -> Entry? {
        guard let index = waiting.lastIndex(where: { seconds - $0.picture.arrival >= Self.delay }) else { return nil }
        var entry = waiting[index]
        waiting.removeFirst(index + 1)
        let own = entry.faces
        for near in found where abs(near.arrival - entry.picture.arrival) <= Self.delay {
            entry.faces += near.faces.filter { face in !own.contains { $0.intersectionOverUnion(face) > 0.1 } }
        }
        return entry
    }
}

/// Searches preview pictures for faces, and makes faces in them unrecognisable, before pages get them.
final class PictureCover {
    /// The most pixels of a preview picture that is passed on: a page that opened a larger one would run out of memory.
    private static let mostPixels = 16_000_000

    private let decoder: JPEGDecoder
    private let picture = Picture()
    private let encoder: JPEGEncoder
    private let check: FaceCheck?

    /// Makes it with nothing decoded yet.
    ///
    /// - Parameter isChecking: whether pictures are searched for faces, because all pages get an overlay that hides them.
    /// - Throws: `CommandFailure` if the models that this needs are missing.
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

    /// Draws a look into a picture.
    ///
    /// - Returns: the picture as a JPEG; nil if it cannot be decoded.
    func jpeg(
        _ preview: PreviewPicture,
        _ scene: Scene,
        further: [NormalizedRect],
        overlay: any Overlay,
        at seconds: Double
    ) -> [UInt8]? {
        do {
            try picture.update(from: try decoder.decode(preview.jpeg))
            guard let size = picture.uprightSize else { return nil }
            let canvas = try Canvas(pixelSize: size)
            guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size) else { return nil }
            canvas.draw(picture, geometry)
            canvas.draw(scene, geometry, overlay: overlay, at: seconds)
            let unnamed = further.compactMap { bounds in
                let face = FaceObject(faceID: FaceID(rawValue: 0), bounds: bounds, confidence: 1)
                return geometry.transformed(face).map { DrawnFace(face: $0) }
            }
            overlay.draw(unnamed, snapshotFlash: 0, on: canvas)
            return try canvas.withFrame { try encoder.encode($0) }
        } catch {
            return nil
        }
    }
}
