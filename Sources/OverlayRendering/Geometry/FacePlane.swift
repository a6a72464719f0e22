package import FaceMetadata

/// A plane that turns with a head, seen in perspective as a layer with a transform whose m34 is 1/−1000.
///
/// Positions in it are in points from its centre, to the head's own right (as seen in the picture), down towards its
/// chin and out of its nose. Cairo's matrices are affine, so whatever is drawn on the plane goes through `point`.
package struct FacePlane: Hashable, Sendable {
    /// How far the eye is from the surface, in points: the 1000 of m34 = 1/−1000.
    package static let eyeDistance = 1000.0

    /// Nearer than this share of the eye's distance nothing is drawn larger: a point behind the eye has no picture.
    private static let nearest = 0.2

    /// Where the centre of the plane lies on the surface.
    package var center: SurfacePoint

    /// How the plane is turned.
    package var rotation: HeadRotation

    /// Makes a plane around a point of the surface, turned by a pose.
    package init(center: SurfacePoint, pose: HeadPose) {
        self.center = center
        rotation = HeadRotation(pose)
    }

    /// Where a position lies on the surface.
    package func point(_ x: Double, _ y: Double, _ z: Double = 0) -> SurfacePoint {
        let position = rotation.right * x + rotation.down * y + rotation.forward * z
        let enlargement = 1 / max(Self.nearest, 1 - position.z / Self.eyeDistance)
        return SurfacePoint(x: center.x + position.x * enlargement, y: center.y + position.y * enlargement)
    }

    /// How an outline on the plane looks on the surface.
    package func project(_ outline: Outline) -> Outline {
        outline.mapped { point($0.x, $0.y) }
    }
}
