/// Finds the faces in preview pictures and makes them unrecognisable, before pages get the pictures.
final class PictureCover {
    /// The most pixels of a preview picture that is passed on: a page that opened a larger one would run out of memory.
    private static let mostPixels = 16_000_000

    private let decoder: JPEGDecoder
    private let picture = Picture()
    private let encoder: JPEGEncoder
    private let check: FaceCheck?
    /// The frame that was encoded last, for the next page that asks for it.
    private(set) var encoded: (frame: Frame, jpeg: [UInt8])?

    /// Loads models that search pictures for faces if all pages get an overlay that hides them.
    init(isChecking: Bool) throws {
        decoder = try JPEGDecoder()
        encoder = try JPEGEncoder(quality: 85)
        check = isChecking ? try FaceCheck() : nil
    }

    var isChecking: Bool { check != nil }

    /// A picture in the form that pages get; empty if it is a frame that cannot be encoded.
    func jpeg(of picture: PreviewPicture) -> [UInt8] {
        guard case .frame(let frame) = picture.content else { return picture.jpeg }
        if let encoded, encoded.frame.lease === frame.lease { return encoded.jpeg }
        let jpeg = (try? encoder.encode(frame)) ?? []
        encoded = (frame, jpeg)
        return jpeg
    }

    /// The size of a picture, a JPEG's as its header states; nil if it is not a JPEG, or too large to be passed on.
    func size(of picture: PreviewPicture) -> FrameSize? {
        let size =
            switch picture.content {
            case .frame(let frame): FrameSize?(frame.uprightSize)
            case .jpeg(let bytes): bytes.withUnsafeBytes { try? decoder.size(of: $0) }
            }
        return size.flatMap { $0.width * $0.height <= Self.mostPixels ? $0 : nil }
    }

    /// The places where faces are or may be in a picture; nil if it cannot be searched, and so must not be shown.
    func faces(in picture: PreviewPicture) -> [NormalizedRect]? {
        size(of: picture) == nil ? nil : try? check?.faces(in: try picture.pixels(with: decoder))
    }

    /// Draws an overlay into a picture, over the scene's faces and those that were found in it; returns a JPEG.
    func jpeg(_ shown: PreviewPicture, _ scene: Scene, overlay: any Overlay, at seconds: Double) throws -> [UInt8]? {
        try picture.update(from: try shown.pixels(with: decoder))
        return try picture.jpeg(with: encoder) { canvas, geometry in
            canvas.draw(scene, geometry, overlay: overlay, at: seconds)
            let unnamed = (shown.found ?? []).compactMap {
                geometry.transformed(FaceObject(faceID: FaceID(rawValue: 0), bounds: $0, confidence: 1))
            }
            overlay.draw(unnamed, snapshotFlash: 0, on: canvas)
        }
    }
}
