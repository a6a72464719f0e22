import Glibc

/// The usual places of the parts of a face, as shares of its box from its centre, x of the width and y of the height.
/// From the canonical face model of 468 points: eyes 31 %, mouth 70 % of the way from forehead to chin, the eyes'
/// centres 41 % of the width apart.
enum CanonicalFace {
    static let eyeX = 0.205
    static let eyeY = -0.19
    static let mouthY = 0.20
    /// The distance between the outer corners of the eyes.
    static let eyeCorners = 0.62
    /// The ratio of a face's height to its width.
    static let aspect = 1.16
}

extension SurfaceFace {
    /// The face's size with its roll taken out, in points.
    ///
    /// The upright box of a tilted face is wider than the face. An ellipse's can be undone exactly, except near 45°,
    /// where all have a square box: there, and where no face's shape would result, the canonical shape is taken.
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

    /// The pose; unknown angles are straight ahead, with the roll of the line between the eyes.
    var assumedPose: HeadPose {
        if let pose { return HeadPose(roll: pose.roll, yaw: pose.yaw ?? 0, pitch: pose.pitch ?? 0) }
        guard let leftEye, let rightEye else { return HeadPose() }
        let line = rightEye - leftEye
        return HeadPose(roll: atan2(line.y, line.x) * 180 / .pi)
    }

    /// The plane through the middle of the face, without pitch: the box already ends at the visible forehead and chin.
    var plane: FacePlane {
        FacePlane(center: bounds.center, pose: HeadPose(roll: assumedPose.roll, yaw: assumedPose.yaw))
    }

    /// Both eyes; unknown ones are at their usual place in a face of this box and pose.
    var assumedEyes: (left: SurfacePoint, right: SurfacePoint) {
        let x = CanonicalFace.eyeX * uprightSize.width
        let y = CanonicalFace.eyeY * uprightSize.height
        return (leftEye ?? plane.point(-x, y), rightEye ?? plane.point(x, y))
    }

    /// The mouth; an unknown one is at its usual place in a face of this box and pose.
    var assumedMouth: SurfacePoint { mouth ?? plane.point(0, CanonicalFace.mouthY * uprightSize.height) }

    /// The distance of the lips, as a share of the face's height; 0 if it is unknown.
    var lipGap: Double {
        let corners = min(1, max(0, self.mouthOpen ?? 0)) * FaceObject.widestMouth
        return corners * CanonicalFace.eyeCorners / CanonicalFace.aspect
    }
}
