import FaceMetadata
import Glibc

/// The head's own axes, from a few landmarks.
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

    /// The angles of the head with those landmarks, which the axes were made from.
    ///
    /// A head that looks straight ahead is first rolled in the picture, then pitched, then turned by the yaw. The pitch alone
    /// comes from a fit of the mean face: chin and forehead by themselves also move when the face smiles.
    func pose(of landmarks: FaceLandmarks) -> HeadPose {
        let yaw = atan2f(z.x, z.z)
        let lean = Self.pitch(z)
        // What is left of the rotation once the face points straight ahead again.
        let acrossThere = SIMD3<Float>(cosf(yaw), 0, -sinf(yaw))
        let upThere = SIMD3<Float>(-sinf(yaw) * sinf(lean), cosf(lean), -cosf(yaw) * sinf(lean))
        let roll = -atan2f((upThere * x).sum(), (acrossThere * x).sum())
        let tilt = MeanFace.tilt(of: landmarks, along: self)
        let pitch = Self.pitch(z * cosf(tilt) - y * sinf(tilt))
        return HeadPose(
            roll: Self.degrees(roll),
            yaw: Self.degrees(yaw),
            pitch: Self.degrees(pitch) - MeanFace.neutralPitch
        )
    }

    /// By how much an axis out of the face points up, in radians.
    private static func pitch(_ forward: SIMD3<Float>) -> Float { asinf(max(-1, min(1, forward.y))) }

    static func space(_ point: SIMD3<Float>) -> SIMD3<Float> { SIMD3(point.x, -point.y, -point.z) }

    private static func unit(_ vector: SIMD3<Float>) -> SIMD3<Float> {
        let length = vector.length
        return length > 0 ? vector / length : vector
    }

    private static func degrees(_ radians: Float) -> Double { Double(radians) * 180 / .pi }
}

/// Points of a mean face that mouth, jaw and brows move little, in the plane that divides it into left and right.
///
/// By `Tools/mean-face.py` from recorded landmarks of 137 faces in 2855 frames.
private enum MeanFace {
    /// Points of the mesh with the same position.
    private struct Place {
        let points: [Int]
        /// Units of the distance between the outer eye corners, y up and z out of the face, from the mean of all points.
        let y: Float, z: Float
    }

    private static let places = [
        Place(points: [33, 263], y: 0.172, z: -0.019), Place(points: [133, 362], y: 0.162, z: 0.043),
        Place(points: [98, 327], y: -0.294, z: 0.234), Place(points: [48, 278], y: -0.217, z: 0.316),
        Place(points: [129, 358], y: -0.221, z: 0.188), Place(points: [50, 280], y: -0.185, z: 0.074),
        Place(points: [117, 346], y: -0.01, z: -0.008), Place(points: [54, 284], y: 0.555, z: -0.212),
        Place(points: [127, 356], y: 0.085, z: -0.567), Place(points: [234, 454], y: -0.083, z: -0.604),
        Place(points: [93, 323], y: -0.25, z: -0.595), Place(points: [10], y: 0.79, z: 0.129),
        Place(points: [168], y: 0.241, z: 0.224), Place(points: [6], y: 0.158, z: 0.279),
        Place(points: [197], y: 0.083, z: 0.341), Place(points: [4], y: -0.155, z: 0.51),
        Place(points: [1], y: -0.231, z: 0.492), Place(points: [2], y: -0.314, z: 0.327),
    ]

    /// The pitch in degrees that the mean face shows when it looks straight ahead.
    ///
    /// Median over the 311 of 2000 portraits (the odd half of GENKI-4K) whose labels say |yaw| < 8°, |pitch| < 3° and
    /// |roll| < 8°; the spread between people, or of the labels, is 5°.
    static let neutralPitch = -7.6

    /// By how much a face leans back about its x axis, in radians, against the mean face along the same axes: the angle for
    /// which the mean face, moved and scaled as fits best, lies nearest to the landmarks.
    static func tilt(of landmarks: FaceLandmarks, along axes: HeadAxes) -> Float {
        var (sine, cosine): (Float, Float) = (0, 0)
        for place in places {
            for point in place.points {
                // From the bridge of the nose: the places' mean is zero, so that any origin will do.
                let position = axes.inFaceFrame(168, point, landmarks)
                sine += place.y * position.z - place.z * position.y
                cosine += place.y * position.y + place.z * position.z
            }
        }
        return atan2f(sine, cosine)
    }
}
