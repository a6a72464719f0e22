import FaceMetadata
import Frames

extension FaceGeometry {
    private static let patchSampler = LumaSampler(width: EyePatches.width, height: EyePatches.height)

    /// The pixels around both eyes, straight from the frame; nil if its pixels cannot be read.
    func eyePatches(in frame: Frame) -> EyePatches? {
        let unit = unit
        return EyePatches { pixels in
            guard let base = pixels.baseAddress else { return false }
            return Self.patchSampler.sample(frame, through: patchRegion(of: FaceMeshIndices.leftEye, unit), into: base)
                && Self.patchSampler.sample(
                    frame,
                    through: patchRegion(of: FaceMeshIndices.rightEye, unit),
                    into: base + EyePatches.count
                )
        }
    }

    /// Maps pixels of an eye's patch to the upright picture.
    ///
    /// The patch runs along the line between the eye's corners, 1.25 times as wide as the eye and 0.30 of the outer eye
    /// distance high, so that it holds the lids and as little else as possible. Its centre lies above the line because
    /// an open eye does.
    private func patchRegion(of eye: FaceMeshIndices.Eye, _ unit: Float) -> AffineTransform {
        let line = cornerLine(of: eye)
        let middle = line.middle - line.down * (0.0185 * unit)
        let column = line.along * (1.25 * line.width / Float(EyePatches.width))
        let row = line.down * (0.30 * unit / Float(EyePatches.height))
        // The middle lies between the two pixels in the middle.
        let origin = middle - column * (Float(EyePatches.width - 1) / 2) - row * (Float(EyePatches.height - 1) / 2)
        return AffineTransform(a: column.x, b: row.x, c: column.y, d: row.y, tx: origin.x, ty: origin.y)
    }
}
