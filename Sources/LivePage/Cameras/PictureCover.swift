/// Finds faces in preview pictures and hides them, before pages get the pictures.
final class PictureCover {
    private let decoder: JPEGDecoder
    private let picture = Picture()
    private let encoder: JPEGEncoder
    private let check: FaceCheck?
    /// The frame that was encoded last, with its JPEG, which is kept for other pages that show this frame.
    private(set) var encoded: (frame: Frame, jpeg: [UInt8])?

    /// Makes a cover. With `isChecking`, which overlays that hide faces need, loads the models that find faces.
    init(isChecking: Bool) throws {
        decoder = try JPEGDecoder()
        encoder = try JPEGEncoder(quality: 85)
        check = isChecking ? try FaceCheck() : nil
    }

    var isChecking: Bool { check != nil }

    /// Returns the picture as a JPEG; empty if the picture is an uncompressed frame that cannot be encoded.
    func jpeg(of picture: PreviewPicture) -> [UInt8] {
        guard case .frame(let frame) = picture.content else { return picture.jpeg }
        if let encoded, encoded.frame.lease === frame.lease { return encoded.jpeg }
        let jpeg = (try? encoder.encode(frame)) ?? []
        encoded = (frame, jpeg)
        return jpeg
    }

    /// The size of the picture; nil if its JPEG cannot be read.
    func size(of picture: PreviewPicture) -> FrameSize? {
        switch picture.content {
        case .frame(let frame): frame.uprightSize
        case .jpeg(let bytes): bytes.withUnsafeBytes { try? decoder.size(of: $0) }
        }
    }

    /// Finds the bounding boxes of possible faces; nil if the picture cannot be searched, and so must not be shown.
    func faces(in picture: PreviewPicture) -> [NormalizedRect]? {
        try? check?.faces(in: try picture.pixels(with: decoder))
    }

    /// Returns the picture as a JPEG with an overlay over the faces of the scene and those found in the picture.
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
