import FaceMetadata
import Glibc

/// Where the parts of a face usually are, as shares of its box from its centre, x of the width and y of the height.
/// From the canonical face model of 468 points: eyes 31 %, mouth 70 % of the way from forehead to chin, the eyes'
/// centres 41 % of the width apart.
enum CanonicalFace {
    static let eyeX = 0.205
    static let eyeY = -0.19
    static let mouthY = 0.20
    /// The distance between the outer corners of the eyes.
    static let eyeCorners = 0.62
    /// Height over width.
    static let aspect = 1.16
}

extension SurfaceFace {
    /// The face's size with its roll taken out, in points.
    ///
    /// The upright box of a tilted face is wider than the face. For an ellipse it can be undone exactly, except near 45°, where every
    /// ellipse has a square: there, and where no face's shape would result, the canonical shape stands in.
    var uprightSize: SurfaceSize {
        let (width2, height2) = (bounds.width * bounds.width, bounds.height * bounds.height)
        let roll = (pose?.roll ?? eyeLineRoll ?? 0) * .pi / 180
        let (sin2, cos2) = (sin(roll) * sin(roll), cos(roll) * cos(roll))
        if abs(cos2 - sin2) > 0.35 {
            let across = (width2 * cos2 - height2 * sin2) / (cos2 - sin2)
            let along = (height2 * cos2 - width2 * sin2) / (cos2 - sin2)
            if across > 0, along > 0, abs(roll) < 0.05 || (0.8...3).contains(along / across) {
                return SurfaceSize(width: across.squareRoot(), height: along.squareRoot())
            }
        }
        let across = (width2 + height2) / (1 + CanonicalFace.aspect * CanonicalFace.aspect)
        return SurfaceSize(width: across.squareRoot(), height: across.squareRoot() * CanonicalFace.aspect)
    }

    /// The roll that the line between the eyes has, in degrees; nil if an eye is unknown.
    private var eyeLineRoll: Double? {
        guard let leftEye, let rightEye, leftEye != rightEye else { return nil }
        return atan2(rightEye.y - leftEye.y, rightEye.x - leftEye.x) * 180 / .pi
    }

    /// The pose; if it is unknown, straight ahead with the roll of the eyes' line.
    var assumedPose: HeadPose { pose ?? HeadPose(roll: eyeLineRoll ?? 0, yaw: 0, pitch: 0) }

    /// The plane through the middle of the face, without pitch: the box already ends where forehead and chin are seen.
    var plane: FacePlane {
        let pose = assumedPose
        return FacePlane(center: bounds.center, pose: HeadPose(roll: pose.roll, yaw: pose.yaw, pitch: 0))
    }

    /// Both eyes; where unknown, where a face of this box and pose usually has them.
    var assumedEyes: (left: SurfacePoint, right: SurfacePoint) {
        let (size, plane) = (uprightSize, plane)
        return (
            leftEye ?? plane.point(-CanonicalFace.eyeX * size.width, CanonicalFace.eyeY * size.height),
            rightEye ?? plane.point(CanonicalFace.eyeX * size.width, CanonicalFace.eyeY * size.height)
        )
    }

    /// The mouth; if it is unknown, where a face of this box and pose usually has it.
    var assumedMouth: SurfacePoint { mouth ?? plane.point(0, CanonicalFace.mouthY * uprightSize.height) }

    /// How far the lips are apart, as a share of the face's height; 0 if it is unknown.
    var lipGap: Double {
        let corners = min(1, max(0, self.mouthOpen ?? 0)) * FaceObject.widestMouth
        return corners * CanonicalFace.eyeCorners / CanonicalFace.aspect
    }
}
