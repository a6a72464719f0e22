import Glibc

/// A head in space, turned like the face and attached to the picture at one of its landmarks.
///
/// Positions are shares of the face's own size, from the middle of the head's front half: x of the width to the head's
/// right as seen in the picture, y of the height to its chin, z of the width out of its nose.
struct HeadModel {
    /// Half the width of the curved front, and the distance by which it comes forward: a cheek is nearly half a width
    /// from the middle, the mouth a little less than half a width before the ears (canonical face model of 468 points).
    static let halfWidth = 0.60
    static let depth = 0.48
    /// The least distance of the viewer, in widths of the face: from nearer, a large face's front would be too wide.
    private static let viewingDistance = 6.0
    /// The angle in radians, behind the edge, within which something comes down to its lowest height.
    private static let fading = 0.2
    /// The face's own size in points, as seen from straight ahead.
    let unit: SurfaceSize
    private var plane: FacePlane
    private let pose: HeadPose

    /// Makes the head of a face, placed so that one position on it is at a point of the surface.
    init(_ face: SurfaceFace, holding position: (x: Double, y: Double, z: Double), at point: SurfacePoint) {
        pose = face.assumedPose
        let width = Self.seenShare(pose.yaw ?? 0, depth: 0.9)
        unit = face.uprightSize / [width, Self.seenShare(pose.pitch ?? 0, depth: 0.7)]
        var plane = FacePlane(center: point, pose: pose)
        plane.distance = max(FacePlane.eyeDistance, Self.viewingDistance * unit.width)
        let off = plane.point(position.x * unit.width, position.y * unit.height, position.z * unit.width)
        plane.center = 2 * point - off
        self.plane = plane
    }

    /// The visible share of a side of a turned face: the near side shows its depth, the far one hides behind the nose.
    private static func seenShare(_ degrees: Double, depth: Double) -> Double {
        let sine = sin(degrees.radians)
        let cosine = max(0, cos(degrees.radians))
        return max(0.6, ((cosine * cosine + depth * depth * sine * sine).squareRoot() + cosine) / 2)
    }

    /// The largest lean, in degrees, of what sits on top; beyond, its upper end would be out of sight behind the head.
    private static let farthestLean = 10.0
    /// The skull's middle, half height and half length, from the middle of the eyes in widths of the face.
    private static let skull = (y: -0.04, z: -0.64, height: 0.68, length: 0.62)

    /// The same head for something on top of it, `y` of the height and `z` of the width from the middle. If the head is
    /// tilted back, the thing keeps its share of the way to the edge: on the skull, a hat would cover the eyes.
    func carrying(_ y: Double, _ z: Double) -> HeadModel {
        guard let pitch = pose.pitch, pitch > 0 else { return self }
        func edge(_ pitch: Double) -> Double {
            let (sine, cosine) = HeadRotation.sinCos(pitch)
            let reach = SurfacePoint(Self.skull.height * cosine, Self.skull.length * sine).length
            return Self.skull.y * cosine - Self.skull.z * sine - reach
        }
        let across = SurfacePoint(plane.rotation.right.x, plane.rotation.right.y)
        let down = SurfacePoint(-across.y, across.x) / max(0.01, across.length)
        func leaning(_ pitch: Double) -> HeadModel {
            var head = self
            head.plane.rotation = HeadRotation(HeadPose(roll: pose.roll, yaw: pose.yaw, pitch: pitch))
            return head
        }
        /// The distance of the lower edge below the eyes on the surface.
        func height(_ head: HeadModel) -> Double {
            ((head.point(0, y, z) - head.point(0, CanonicalFace.eyeY, Self.depth)) * down).sum()
        }
        let target = height(leaning(0)) * min(0, edge(pitch)) / edge(0)
        var result = leaning(min(pitch, Self.farthestLean))
        result.plane.center += point(0, y, z) + down * min(0, target - height(self)) - result.point(0, y, z)
        return result
    }

    func point(_ x: Double, _ y: Double, _ z: Double) -> SurfacePoint {
        plane.point(x * unit.width, y * unit.height, z * unit.width)
    }

    /// The position on the surface of a point of the head's curved front, or of the edge that hides it.
    ///
    /// x, as seen from straight ahead, and the lift above the skin are shares of the width, y is one of the height. A
    /// position that is turned away goes down to `lowest`, so that the edge there is not thin.
    func front(_ x: Double, _ y: Double, lift: Double = 0, lowest: Double = -.infinity) -> SurfacePoint {
        let (a, c) = (Self.halfWidth + lift, Self.depth + lift)
        let straight = asin(max(-1, min(1, x / a)))
        var angle = straight
        // The front is seen where its normal points to the viewer; `right.z` is how much the head's right does.
        let side = plane.rotation.right.z / a
        let ahead = max(0.05, plane.rotation.forward.z) / c
        if side < 0 { angle = min(angle, atan2(ahead, -side)) }
        if side > 0 { angle = max(angle, -atan2(ahead, side)) }
        let share = min(1, abs(angle - straight) / Self.fading)
        return point(a * sin(angle), y + max(0, lowest - y) * share, c * cos(angle))
    }

    /// The position of a point that follows the head's front and is flat beyond it; x and lift in widths, y in heights.
    func wrapped(_ x: Double, _ y: Double, lift: Double) -> SurfacePoint {
        let share = x / max(0.01, Self.halfWidth + lift)
        return point(x, y, (Self.depth + lift) * max(0, 1 - share * share).squareRoot())
    }

    /// The degree to which a direction, given by the head's axes, points to the viewer, −1…1.
    func facing(_ x: Double, _ y: Double, _ z: Double) -> Double {
        plane.rotation.right.z * x + plane.rotation.down.z * y + plane.rotation.forward.z * z
    }
}

extension SurfaceFace {
    /// The degrees by which an eye is turned outward from the nose's direction: a face is round.
    private static let outward = 22.0
    /// The least share by which a visible plane faces the viewer: beyond, the bridge of the nose hides its eye.
    private static let edge = 0.30

    /// The plane of the eye at the left or the right of the surface.
    func eyePlane(isLeft: Bool) -> FacePlane {
        var plane = FacePlane(center: isLeft ? assumedEyes.left : assumedEyes.right, pose: assumedPose)
        plane.rotation.turn(byYaw: isLeft ? -Self.outward : Self.outward)
        return plane
    }

    func shows(_ eye: FacePlane) -> Bool { eye.rotation.forward.z > Self.edge }

    var headAtEyes: HeadModel {
        let middle = assumedEyes.left.middle(to: assumedEyes.right)
        return HeadModel(self, holding: (0, CanonicalFace.eyeY, HeadModel.depth - 0.04), at: middle)
    }

    var headAtMouth: HeadModel {
        HeadModel(self, holding: (0, CanonicalFace.mouthY, HeadModel.depth), at: assumedMouth)
    }
}
