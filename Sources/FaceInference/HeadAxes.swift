import FaceMetadata
import Glibc

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

    private static func space(_ point: FaceLandmark) -> SIMD3<Float> { SIMD3(point.x, -point.y, -point.z) }

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
