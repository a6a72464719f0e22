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

    /// The smallest upright rectangle around the face's outline, forehead to chin, in pixels.
    var bounds: (left: Float, top: Float, right: Float, bottom: Float) {
        var (left, top) = (Float.infinity, Float.infinity)
        var (right, bottom) = (-Float.infinity, -Float.infinity)
        for index in FaceMeshIndices.faceOval {
            let point = landmarks[index]
            (left, right) = (min(left, point.x), max(right, point.x))
            (top, bottom) = (min(top, point.y), max(bottom, point.y))
        }
        return (left, top, right, bottom)
    }

    /// The mean of some points, in pixels.
    func center(of indices: [Int]) -> (x: Float, y: Float) {
        var sum: (x: Float, y: Float) = (0, 0)
        for index in indices {
            let point = landmarks[index]
            sum = (sum.x + point.x, sum.y + point.y)
        }
        return (sum.x / Float(indices.count), sum.y / Float(indices.count))
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

    /// The lids of an eye; see `FaceObservation.Lids`.
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

    private func position(_ index: Int) -> SIMD2<Float> {
        let point = landmarks[index]
        return SIMD2(point.x, point.y)
    }

    /// The distance between the outer eye corners in the picture, in pixels.
    var eyeDistance: Float { distance(FaceMeshIndices.leftEyeOuterCorner, FaceMeshIndices.rightEyeOuterCorner) }

    private func distance(_ first: Int, _ second: Int) -> Float {
        hypotf(landmarks[first].x - landmarks[second].x, landmarks[first].y - landmarks[second].y)
    }

    /// The shape of the mouth; see `FaceObservation.MouthShape`.
    func mouthShape(unit: Float) -> FaceObservation.MouthShape {
        func along(_ from: Int, _ to: Int) -> SIMD3<Float> {
            unit > 0 ? axes.inFaceFrame(from, to, landmarks) / unit : .zero
        }
        let (left, right) = (FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner)
        let (upper, lower) = (FaceMeshIndices.upperLipInner, FaceMeshIndices.lowerLipInner)
        // From the middle of the inner lips to the middle of the corners.
        let corners = (along(upper, left) + along(upper, right) + along(lower, left) + along(lower, right)) / 4
        let edge = FaceMeshIndices.lowerLipEdge
        return FaceObservation.MouthShape(
            width: Double(along(left, right).length),
            cornerLift: Double(corners.y),
            opening: Double(along(upper, lower).length),
            cornerDepth: Double(corners.z),
            cornerHeight: Double((along(edge, left).y + along(edge, right).y) / 2)
        )
    }
}

extension FaceGeometry {
    /// What is measured on a face in an upright picture of that size.
    func observation(
        lineage: Int,
        confidence: Double,
        eyePatches: EyePatches?,
        isHeld: Bool = false,
        in size: FrameSize
    ) -> FaceObservation {
        let (left, top, right, bottom) = bounds
        let topLeft = Self.normalized(left, top, in: size)
        let bottomRight = Self.normalized(right, bottom, in: size)
        let unit = unit
        let mouthCenter = center(of: [
            FaceMeshIndices.leftMouthCorner, FaceMeshIndices.rightMouthCorner,
            FaceMeshIndices.upperLipInner, FaceMeshIndices.lowerLipInner,
        ])
        let leftEye = center(of: FaceMeshIndices.leftLids)
        let rightEye = center(of: FaceMeshIndices.rightLids)
        return FaceObservation(
            lineage: lineage,
            bounds: NormalizedRect(
                x: topLeft.x,
                y: topLeft.y,
                width: bottomRight.x - topLeft.x,
                height: bottomRight.y - topLeft.y
            ),
            pose: axes.pose,
            confidence: confidence,
            leftEye: Self.normalized(leftEye.x, leftEye.y, in: size),
            rightEye: Self.normalized(rightEye.x, rightEye.y, in: size),
            mouth: Self.normalized(mouthCenter.x, mouthCenter.y, in: size),
            leftLids: lids(of: FaceMeshIndices.leftEye, unit: unit),
            rightLids: lids(of: FaceMeshIndices.rightEye, unit: unit),
            eyePatches: eyePatches,
            mouthShape: mouthShape(unit: unit),
            eyeDistance: Double(eyeDistance),
            isHeld: isHeld
        )
    }

    /// Pixels, with centres at integers, as shares of the picture, whose edge is half a pixel outside.
    private static func normalized(_ x: Float, _ y: Float, in size: FrameSize) -> NormalizedPoint {
        NormalizedPoint(x: (Double(x) + 0.5) / Double(size.width), y: (Double(y) + 0.5) / Double(size.height))
    }
}

/// The head's own axes, from the landmarks alone: no template of a face is fitted.
///
/// Space: x to the picture's right, y up, z towards the viewer. The face's x runs through the outer eye corners and the
/// sides of the face, its y from chin to forehead, its z out of the face.
struct HeadAxes: Hashable, Sendable {
    let x: SIMD3<Float>
    let y: SIMD3<Float>
    let z: SIMD3<Float>

    init(_ landmarks: FaceLandmarks) {
        func point(_ index: Int) -> SIMD3<Float> { Self.space(landmarks[index]) }
        let across =
            point(FaceMeshIndices.rightEyeOuterCorner) - point(FaceMeshIndices.leftEyeOuterCorner)
            + point(FaceMeshIndices.rightFaceSide) - point(FaceMeshIndices.leftFaceSide)
        let x = Self.unit(across)
        let up = point(FaceMeshIndices.foreheadTop) - point(FaceMeshIndices.chin)
        let y = Self.unit(up - x * (up * x).sum())
        self.x = x
        self.y = y
        z = SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
    }

    /// The vector from one landmark to another along the face's axes, in pixels.
    func inFaceFrame(_ from: Int, _ to: Int, _ landmarks: FaceLandmarks) -> SIMD3<Float> {
        let vector = Self.space(landmarks[to]) - Self.space(landmarks[from])
        return SIMD3((vector * x).sum(), (vector * y).sum(), (vector * z).sum())
    }

    /// The pitch in degrees that the axes show for a face that looks straight ahead: from chin to forehead it leans.
    ///
    /// Median over the 315 of 2000 portraits (the odd half of GENKI-4K) whose labels say |yaw| < 8°, |pitch| < 3° and
    /// |roll| < 8°; the spread between people, or of the labels, is 6°.
    private static let neutralPitch = -7.8

    /// The angles of the head.
    var pose: HeadPose {
        let yaw = atan2f(z.x, z.z)
        let pitch = asinf(max(-1, min(1, z.y)))
        // What is left of the rotation once the face points straight ahead again.
        let acrossThere = SIMD3<Float>(cosf(yaw), 0, -sinf(yaw))
        let upThere = SIMD3<Float>(-sinf(yaw) * sinf(pitch), cosf(pitch), -cosf(yaw) * sinf(pitch))
        let roll = -atan2f((upThere * x).sum(), (acrossThere * x).sum())
        let pitchFromNeutral = Self.degrees(pitch) - Self.neutralPitch
        return HeadPose(roll: Self.degrees(roll), yaw: Self.degrees(yaw), pitch: pitchFromNeutral)
    }

    private static func space(_ point: PixelLandmark) -> SIMD3<Float> { SIMD3(point.x, -point.y, -point.z) }

    private static func unit(_ vector: SIMD3<Float>) -> SIMD3<Float> {
        let length = vector.length
        return length > 0 ? vector / length : vector
    }

    private static func degrees(_ radians: Float) -> Double { Double(radians) * 180 / .pi }
}

extension SIMD3<Float> {
    /// The Euclidean length.
    var length: Float { (self * self).sum().squareRoot() }
}

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
