import FaceMetadata
import Glibc

/// A head in space, turned as the face is and held to the picture by one of its landmarks.
///
/// Positions are shares of the face's own size, from the middle of the head's front half: x of the width to the head's
/// right as seen in the picture, y of the height to its chin, z of the width out of its nose.
struct HeadModel {
    /// Half the width of the curved front, and how far it comes forward: a cheek is nearly half a width from the middle,
    /// the mouth a little less than half a width before the ears (from the canonical face model of 468 points).
    static let halfWidth = 0.60
    static let depth = 0.48

    /// How many widths of the face the eye is away at least: from nearer, the front of a large face would be drawn much wider
    /// than it is.
    private static let viewingDistance = 6.0

    /// The face's own size in points, as it would be seen from straight ahead.
    let unit: SurfaceSize

    private let plane: FacePlane

    /// Makes the head of a face so that one position of it lies at a point of the surface.
    init(_ face: SurfaceFace, holding position: (x: Double, y: Double, z: Double), at point: SurfacePoint) {
        let pose = face.assumedPose
        let (seen, yaw, pitch) = (face.uprightSize, pose.yaw * .pi / 180, pose.pitch * .pi / 180)
        unit = SurfaceSize(
            width: seen.width / Self.seenShare(yaw, depth: 0.9),
            height: seen.height / Self.seenShare(pitch, depth: 0.7)
        )
        var plane = FacePlane(center: point, pose: pose)
        plane.distance = max(FacePlane.eyeDistance, Self.viewingDistance * unit.width)
        let off = plane.point(position.x * unit.width, position.y * unit.height, position.z * unit.width)
        plane.center = 2 * point - off
        self.plane = plane
    }

    /// The share of a face's width or height that is still seen when it is turned: the near side shows its depth, the far
    /// side disappears behind the nose.
    private static func seenShare(_ angle: Double, depth: Double) -> Double {
        let (sine, cosine) = (sin(angle), max(0, cos(angle)))
        return max(0.6, ((cosine * cosine + depth * depth * sine * sine).squareRoot() + cosine) / 2)
    }

    func point(_ x: Double, _ y: Double, _ z: Double) -> SurfacePoint {
        plane.point(x * unit.width, y * unit.height, z * unit.width)
    }

    /// Where a position on the head's curved front lies on the surface; one that is turned away from the viewer lies at the
    /// edge behind which it disappears.
    ///
    /// - Parameters:
    ///   - x: along the front, as a share of the width seen from straight ahead.
    ///   - y: a share of the height.
    ///   - lift: how far it lies before the skin, a share of the width.
    /// - Returns: the place on the surface.
    func front(_ x: Double, _ y: Double, lift: Double = 0) -> SurfacePoint {
        let (a, c) = (Self.halfWidth + lift, Self.depth + lift)
        var angle = asin(max(-1, min(1, x / a)))
        // The front is seen where its normal points to the viewer; `right.z` is how much the head's right does.
        let (side, ahead) = (plane.rotation.right.z / a, max(0.05, plane.rotation.forward.z) / c)
        if side < 0 { angle = min(angle, atan2(ahead, -side)) }
        if side > 0 { angle = max(angle, -atan2(ahead, side)) }
        return point(a * sin(angle), y, c * cos(angle))
    }

    /// Where a position lies that follows the head's curved front as long as the head is so wide, and stands out flat beyond.
    ///
    /// - Parameters:
    ///   - x: a share of the width, as seen from straight ahead.
    ///   - y: a share of the height.
    ///   - lift: how far it lies before the skin, a share of the width.
    /// - Returns: the place on the surface.
    func wrapped(_ x: Double, _ y: Double, lift: Double) -> SurfacePoint {
        let share = x / max(0.01, Self.halfWidth + lift)
        return point(x, y, (Self.depth + lift) * max(0, 1 - share * share).squareRoot())
    }

    /// How much a direction points to the viewer, −1…1: by the head's axes.
    func facing(_ x: Double, _ y: Double, _ z: Double) -> Double {
        plane.rotation.right.z * x + plane.rotation.down.z * y + plane.rotation.forward.z * z
    }
}

extension SurfaceFace {
    /// One of the eyes, as the viewer of the surface sees them.
    enum Side {
        case left, right
    }

    /// How far an eye is turned outward from where the nose points, in degrees: a face is round.
    private static let outward = 22.0

    /// A plane that is turned further away than this is not seen: the bridge of the nose hides its eye.
    private static let edge = 0.30

    /// The plane on which an eye lies.
    func eyePlane(_ side: Side) -> FacePlane {
        var plane = FacePlane(center: side == .left ? assumedEyes.left : assumedEyes.right, pose: assumedPose)
        plane.rotation = plane.rotation.turned(byYaw: side == .left ? -Self.outward : Self.outward)
        return plane
    }

    func shows(_ eye: FacePlane) -> Bool { eye.rotation.forward.z > Self.edge }

    var eyesMiddle: SurfacePoint { assumedEyes.left.middle(to: assumedEyes.right) }

    var headAtEyes: HeadModel {
        HeadModel(self, holding: (0, CanonicalFace.eyeY, HeadModel.depth - 0.04), at: eyesMiddle)
    }

    var headAtMouth: HeadModel {
        HeadModel(self, holding: (0, CanonicalFace.mouthY, HeadModel.depth), at: assumedMouth)
    }
}
