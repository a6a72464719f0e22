/// A head in three dimensions, turned like the face and placed so that a landmark is where the picture shows it.
///
/// Positions are relative to the middle of the head: x in face widths to the right as seen in the picture, y in face
/// heights down to the chin, z in face widths out of the nose.
struct HeadModel {
    /// The half-axes of the ellipse along which the face curves, in face widths: sideways and, as `depth`, forward. In
    /// the canonical face model, a cheek is nearly 0.5 from the middle, and the mouth slightly less than 0.5 in front
    /// of the ears.
    static let halfWidth = 0.60
    static let depth = 0.48
    /// The minimum distance of the viewer, in face widths. From nearer, a large face would look too wide.
    private static let viewingDistance = 6.0
    /// The angle beyond the visible edge, in radians, over which `front` gradually lowers hidden points to `lowest`.
    private static let fading = 0.2
    /// The size that the face would have if it were seen from straight ahead, in points.
    let unit: SurfaceSize
    private var plane: FacePlane
    private let pose: HeadPose

    /// Makes the head of a face, placed so that `position` on the head is drawn at `point` of the drawing surface.
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

    /// Returns the apparent width or height of a face turned by an angle, as a fraction of that from straight ahead.
    private static func seenShare(_ degrees: Double, depth: Double) -> Double {
        let sine = sin(degrees.radians)
        let cosine = max(0, cos(degrees.radians))
        return max(0.6, ((cosine * cosine + depth * depth * sine * sine).squareRoot() + cosine) / 2)
    }

    /// The largest backward tilt, in degrees, of an object on the head. Beyond it, its top would be behind the head.
    private static let farthestLean = 10.0
    /// The skull's centre relative to the middle of the eyes, its half height and its half length, in face widths.
    private static let skull = (y: -0.04, z: -0.64, height: 0.68, length: 0.62)

    /// Returns the head for drawing an object on it, such as a hat, with its lower edge at height `y` and depth `z`. On
    /// a head tilted back, the object leans less. Its edge keeps its place relative to the eyes and the skull's top.
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
        /// Returns how far the carried object's lower edge is below the eyes, in points.
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

    /// Returns where a point of the face's curved front appears on the drawing surface. A hidden point is moved to the
    /// visible edge and, if above `lowest`, down to it. Otherwise, a beard's hidden part would look like a thin line.
    /// `x`, as seen from straight ahead, and `lift` above the skin are in face widths, `y` in face heights.
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

    /// Returns where a point of a picture is drawn if the picture is wrapped around the head's front, `lift` face
    /// widths above the skin, and flat beside it. `x` (face widths) and `y` (face heights) are from the head's middle.
    func wrapped(_ x: Double, _ y: Double, lift: Double) -> SurfacePoint {
        let share = x / max(0.01, Self.halfWidth + lift)
        return point(x, y, (Self.depth + lift) * max(0, 1 - share * share).squareRoot())
    }

    /// Returns how much a direction in the head's axes points to the viewer, from 1, directly, to −1, directly away.
    func facing(_ x: Double, _ y: Double, _ z: Double) -> Double {
        plane.rotation.right.z * x + plane.rotation.down.z * y + plane.rotation.forward.z * z
    }
}

extension SurfaceFace {
    /// The angle, in degrees, by which an eye's plane is turned outward from the nose's direction, as a face is round.
    private static let outward = 22.0
    /// The minimum z of a visible eye's normal. Below it, the bridge of the nose hides the eye.
    private static let edge = 0.30

    /// Returns the plane through the left or the right eye, as the viewer of the drawing surface sees them.
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
