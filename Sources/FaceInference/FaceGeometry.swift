import FaceMetadata
import Frames
import Glibc

/// What is measured on the landmarks of one face.
struct FaceGeometry {
    let landmarks: FaceLandmarks
    let axes: HeadAxes

    init(_ landmarks: FaceLandmarks) {
        self.landmarks = landmarks
        axes = HeadAxes(landmarks)
    }

    func center(of indices: [Int]) -> SIMD2<Float> {
        indices.reduce(.zero) { $0 + position($1) } / Float(indices.count)
    }

    /// The distance between the outer eye corners in space, in pixels: the unit of lengths.
    var unit: Float {
        axes.inFaceFrame(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner, landmarks).length
    }

    /// The corners of an eye in the picture: their middle, the direction from the left to the right one, the one from
    /// there down the face, and the distance in pixels.
    func cornerLine(
        of eye: FaceMeshIndices.Eye
    ) -> (middle: SIMD2<Float>, along: SIMD2<Float>, down: SIMD2<Float>, width: Float) {
        let (left, right) = (position(eye.leftCorner), position(eye.rightCorner))
        let width = distance(eye.leftCorner, eye.rightCorner)
        let along = width > 0 ? (right - left) / width : SIMD2(1, 0)
        return ((left + right) / 2, along, SIMD2(-along.y, along.x), width)
    }

    /// How much each of the seven points of a lid's edge counts: those near the corners hardly move.
    private static let lidWeights: [Float] = [0.3, 0.7, 1, 1, 1, 0.7, 0.3]

    func lids(of eye: FaceMeshIndices.Eye, unit: Float) -> FaceObservation.Lids {
        let line = cornerLine(of: eye)
        let corner = position(eye.leftCorner)
        func depth(_ lid: [Int]) -> Float {
            var (sum, total): (Float, Float) = (0, 0)
            for (point, weight) in zip(lid, Self.lidWeights) {
                sum += weight * ((position(point) - corner) * line.down).sum()
                total += weight
            }
            return sum / total
        }
        let height = depth(eye.lowerLid) / 2 - depth(eye.upperLid)
        return FaceObservation.Lids(height: unit > 0 ? Double(height / unit) : 0, width: Double(line.width))
    }

    func position(_ index: Int) -> SIMD2<Float> {
        let point = landmarks[index]
        return SIMD2(point.x, point.y)
    }

    /// The distance between the outer eye corners in the picture, in pixels.
    var eyeDistance: Float { distance(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner) }

    func distance(_ first: Int, _ second: Int) -> Float {
        hypotf(landmarks[first].x - landmarks[second].x, landmarks[first].y - landmarks[second].y)
    }

    /// What the landmarks say of a face in an upright picture of that size.
    func observation(in size: FrameSize) -> FaceObservation {
        let (low, high) = landmarks.outline
        let (first, last) = (size.share(of: low), size.share(of: high))
        let unit = unit
        let mouthCenter = center(of: [
            FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner,
            FaceMeshIndices.upperLipInner, FaceMeshIndices.lowerLipInner,
        ])
        var observation = FaceObservation()
        observation.bounds = NormalizedRect(left: first.x, top: first.y, right: last.x, bottom: last.y)
        observation.pose = axes.pose(of: landmarks)
        observation.leftEye = size.share(of: center(of: FaceMeshIndices.leftLids))
        observation.rightEye = size.share(of: center(of: FaceMeshIndices.rightLids))
        observation.mouth = size.share(of: mouthCenter)
        observation.leftLids = lids(of: FaceMeshIndices.leftEye, unit: unit)
        observation.rightLids = lids(of: FaceMeshIndices.rightEye, unit: unit)
        observation.mouthShape = mouthShape(unit: unit)
        observation.gaze = gaze(with: observation.pose, unit: unit)
        observation.irisDiameter = Double(irisDiameter) / hypot(Double(size.width), Double(size.height))
        observation.eyeDistance = Double(eyeDistance)
        return observation
    }

    private static let patchSampler = LumaSampler(width: EyePatches.width, height: EyePatches.height)

    /// The pixels around both eyes, straight from the frame; nil if its pixels cannot be read.
    func eyePatches(in frame: Frame) -> EyePatches? {
        let unit = unit
        return EyePatches { pixels in
            guard let base = pixels.baseAddress else { return false }
            return [FaceMeshIndices.leftEye, FaceMeshIndices.rightEye].enumerated().allSatisfy { number, eye in
                let patch = base + number * EyePatches.count
                return Self.patchSampler.sample(frame, through: patchRegion(of: eye, unit), into: patch)
            }
        }
    }

    /// Maps pixels of an eye's patch to the upright picture: along the line between the eye's corners, 1.25 times as wide as the
    /// eye and 0.30 of the outer eye distance high, so that it holds the lids and little else, with its centre above the line as an
    /// open eye has.
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
