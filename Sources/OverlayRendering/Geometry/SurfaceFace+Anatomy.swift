/// The usual places of the parts of a face, relative to the centre of its box, as fractions of its width (x) and height
/// (y). In the canonical face model of 468 points, the eyes are 31 % and the mouth 70 % of the way from forehead to
/// chin, and the centres of the eyes 41 % of the width apart.
enum CanonicalFace {
    static let eyeX = 0.205
    static let eyeY = -0.19
    static let mouthY = 0.20
    /// The distance between the outer corners of the eyes, as a fraction of the face's width.
    static let eyeCorners = 0.62
    /// The ratio of a face's height to its width.
    static let aspect = 1.16
}

extension SurfaceFace {
    /// The size that the face's box would have without roll, in points. The bounding box of a tilted face is too wide,
    /// which is corrected as for an ellipse. Near 45°, where every ellipse has a square box, or if the result is not
    /// shaped like a face, the canonical aspect ratio is used.
    var uprightSize: SurfaceSize {
        let squares = bounds.size * bounds.size
        let roll = assumedPose.roll.radians
        let sin2 = sin(roll) * sin(roll)
        let cos2 = cos(roll) * cos(roll)
        if abs(cos2 - sin2) > 0.35 {
            let upright = (squares * cos2 - SurfaceSize(squares.y, squares.x) * sin2) / (cos2 - sin2)
            if upright.min() > 0, abs(roll) < 0.05 || (0.8...3).contains(upright.height / upright.width) {
                return upright.squareRoot()
            }
        }
        let width = (squares.sum() / (1 + CanonicalFace.aspect * CanonicalFace.aspect)).squareRoot()
        return SurfaceSize(width: width, height: width * CanonicalFace.aspect)
    }

    /// The pose, with 0 for unknown angles. If there is no pose, the roll is that of the line between the eyes.
    var assumedPose: HeadPose {
        if let pose { return HeadPose(roll: pose.roll, yaw: pose.yaw ?? 0, pitch: pose.pitch ?? 0) }
        guard let leftEye, let rightEye else { return HeadPose() }
        let line = rightEye - leftEye
        return HeadPose(roll: atan2(line.y, line.x) * 180 / .pi)
    }

    /// The plane of the face, turned by roll and yaw. Pitch is ignored: the box ends at the visible forehead and chin.
    var plane: FacePlane {
        FacePlane(center: bounds.center, pose: HeadPose(roll: assumedPose.roll, yaw: assumedPose.yaw))
    }

    /// The centres of both eyes, in points. An unknown centre is at its usual place in a face of this box and pose.
    var assumedEyes: (left: SurfacePoint, right: SurfacePoint) {
        let x = CanonicalFace.eyeX * uprightSize.width
        let y = CanonicalFace.eyeY * uprightSize.height
        return (leftEye ?? plane.point(-x, y), rightEye ?? plane.point(x, y))
    }

    /// The centre of the mouth, in points. An unknown centre is at its usual place in a face of this box and pose.
    var assumedMouth: SurfacePoint { mouth ?? plane.point(0, CanonicalFace.mouthY * uprightSize.height) }

    /// The distance between the lips, as a fraction of the face's height; 0 if it is unknown.
    var lipGap: Double {
        let corners = min(1, max(0, self.mouthOpen ?? 0)) * FaceObject.widestMouth
        return corners * CanonicalFace.eyeCorners / CanonicalFace.aspect
    }
}
