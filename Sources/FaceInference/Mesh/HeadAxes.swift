import Glibc

/// The axes of the head, from a few landmarks. They are unit vectors in coordinates with x to the picture's right, y up
/// and z towards the viewer. The head's x axis runs along the outer eye corners and the sides of the face, its y axis
/// from chin to forehead, its z axis out of the face.
struct HeadAxes: Hashable, Sendable {
    let x: SIMD3<Float>
    let y: SIMD3<Float>
    let z: SIMD3<Float>

    init(_ landmarks: FaceLandmarks) {
        func point(_ index: Int) -> SIMD3<Float> { Self.space(landmarks[index]) }
        let across =
            point(FaceMeshIndices.rightEyeOuterCorner) - point(FaceMeshIndices.leftEyeOuterCorner)
            + point(FaceMeshIndices.rightFaceSide) - point(FaceMeshIndices.leftFaceSide)
        x = Self.unit(across)
        let up = point(FaceMeshIndices.foreheadTop) - point(FaceMeshIndices.chin)
        y = Self.unit(up - x * (up * x).sum())
        z = SIMD3(x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x)
    }

    /// Returns the vector from one landmark to another along the head's axes, in pixels.
    func inFaceFrame(_ from: Int, _ to: Int, _ landmarks: FaceLandmarks) -> SIMD3<Float> {
        let vector = Self.space(landmarks[to]) - Self.space(landmarks[from])
        return SIMD3((vector * x).sum(), (vector * y).sum(), (vector * z).sum())
    }

    /// Returns the head's pose. A face that looks straight ahead gets it by a roll, then a pitch, then a yaw. The pitch
    /// comes from a fit of the mean face to the landmarks, because chin and forehead move in a smile.
    func pose(of landmarks: FaceLandmarks) -> HeadPose {
        let yaw = atan2f(z.x, z.z)
        let lean = Self.pitch(z)
        // The rest of the rotation once the face points straight ahead.
        let acrossThere = SIMD3<Float>(cosf(yaw), 0, -sinf(yaw))
        let upThere = SIMD3<Float>(-sinf(yaw) * sinf(lean), cosf(lean), -cosf(yaw) * sinf(lean))
        let roll = -atan2f((upThere * x).sum(), (acrossThere * x).sum())
        let tilt = MeanFace.tilt(of: landmarks, along: self)
        let pitch = Self.degrees(Self.pitch(z * cosf(tilt) - y * sinf(tilt))) - MeanFace.neutralPitch
        return HeadPose(roll: Self.degrees(roll), yaw: Self.degrees(yaw), pitch: pitch)
    }

    /// Returns the angle by which an axis out of the face points up, in radians.
    private static func pitch(_ forward: SIMD3<Float>) -> Float { asinf(max(-1, min(1, forward.y))) }

    static func space(_ point: SIMD3<Float>) -> SIMD3<Float> { SIMD3(point.x, -point.y, -point.z) }

    private static func unit(_ vector: SIMD3<Float>) -> SIMD3<Float> {
        let length = vector.length
        return length > 0 ? vector / length : vector
    }

    private static func degrees(_ radians: Float) -> Double { Double(radians) * 180 / .pi }
}

/// A mean face in profile: points that stay nearly still when mouth, jaw and brows move, seen from the side.
/// `Tools/mean-face.py` computes them from recorded landmarks of 137 faces in 2855 frames.
private enum MeanFace {
    /// Mesh points that coincide in profile, and their position relative to the mean of all points: y up, z out of the
    /// face. The unit is the distance between the outer eye corners.
    private static let places: [(points: [Int], y: Float, z: Float)] = [
        ([33, 263], 0.172, -0.019), ([133, 362], 0.162, 0.043),
        ([98, 327], -0.294, 0.234), ([48, 278], -0.217, 0.316),
        ([129, 358], -0.221, 0.188), ([50, 280], -0.185, 0.074),
        ([117, 346], -0.01, -0.008), ([54, 284], 0.555, -0.212),
        ([127, 356], 0.085, -0.567), ([234, 454], -0.083, -0.604),
        ([93, 323], -0.25, -0.595), ([10], 0.79, 0.129),
        ([168], 0.241, 0.224), ([6], 0.158, 0.279),
        ([197], 0.083, 0.341), ([4], -0.155, 0.51),
        ([1], -0.231, 0.492), ([2], -0.314, 0.327),
    ]

    /// The measured pitch, in degrees, of a face that looks straight ahead. It is the median over the 311 of 2000
    /// portraits (the odd half of GENKI-4K) labelled |yaw| < 8°, |pitch| < 3° and |roll| < 8°. The spread between
    /// people, or of the labels, is 5°.
    static let neutralPitch = -7.6

    /// Returns the angle about the head's x axis, in radians, by which a face leans further forward than the mean face.
    /// The mean face, turned by this angle, moved and scaled, fits the landmarks best.
    static func tilt(of landmarks: FaceLandmarks, along axes: HeadAxes) -> Float {
        var (sine, cosine): (Float, Float) = (0, 0)
        for place in places {
            for point in place.points {
                // From the bridge of the nose; any origin will do, because the places' mean is zero.
                let position = axes.inFaceFrame(168, point, landmarks)
                sine += place.y * position.z - place.z * position.y
                cosine += place.y * position.y + place.z * position.z
            }
        }
        return atan2f(sine, cosine)
    }
}
