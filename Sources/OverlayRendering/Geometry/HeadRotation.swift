/// A direction or position in three dimensions: x to the right, y down, z towards the viewer.
typealias Vector = SIMD3<Double>

/// A head's rotation as a matrix, in the surface's axes: x to the right, y down, z towards the viewer. It is composed
/// as `HeadPose` is: roll in the head's own plane first, then nose up or down, then to the side.
struct HeadRotation: Hashable, Sendable {
    /// The directions of the head's own axes: right as seen in the picture, down to the chin, and out of the nose.
    private(set) var right: Vector = [1, 0, 0], down: Vector = [0, 1, 0], forward: Vector = [0, 0, 1]

    /// Makes the rotation of a head. An unknown angle counts as 0.
    init(_ pose: HeadPose) {
        // In reverse order, because each call turns axes that the calls before have turned already.
        turn(byYaw: pose.yaw ?? 0)
        Self.turn(&down, to: &forward, pose.pitch ?? 0)
        Self.turn(&right, to: &down, pose.roll)
    }

    /// Turns the axes by an angle in degrees, so that the nose moves towards `right`.
    mutating func turn(byYaw degrees: Double) { Self.turn(&forward, to: &right, degrees) }

    /// Turns two axes within their plane, the first one towards the second one, by an angle in degrees.
    private static func turn(_ axis: inout Vector, to other: inout Vector, _ degrees: Double) {
        let (sine, cosine) = sinCos(degrees)
        let turned = axis * cosine + other * sine
        other = other * cosine - axis * sine
        axis = turned
    }

    /// Converts a position from the head's own axes to the axes of the drawing surface.
    func callAsFunction(_ position: Vector) -> Vector { right * position.x + down * position.y + forward * position.z }

    static func sinCos(_ degrees: Double) -> (Double, Double) { (sin(degrees.radians), cos(degrees.radians)) }
}

extension Double {
    var radians: Double { self * .pi / 180 }

    /// The same angle, in degrees in (−180, 180].
    package var normalizedDegrees: Double {
        let wrapped = remainder(dividingBy: 360)
        return wrapped == -180 ? 180 : wrapped
    }

    /// Converts a line's angle, in degrees, to its angle after its plane is stretched by `scales`, across and down.
    func stretched(by scales: SIMD2<Double>) -> Double {
        guard abs(scales.x - scales.y) > 1e-12 * scales.x else { return self }
        return (atan2(scales.y * sin(radians), scales.x * cos(radians)) * 180 / .pi).normalizedDegrees
    }
}

/// A plane that turns with a head, seen in perspective like a Core Animation layer with an m34 of −1/1000. Positions on
/// it are in points from its centre along the axes of `rotation`: x right as seen in the picture, y down to the chin
/// and z out of the nose. Cairo's matrices are affine, so every point that is drawn on the plane goes through `point`.
struct FacePlane: Hashable, Sendable {
    /// The default distance from the viewer to the drawing surface, in points: the 1000 of m34 = −1/1000.
    static let eyeDistance = 1000.0
    /// The minimum distance from the viewer, as a fraction of `distance`; nearer points are drawn as at that distance.
    private static let nearest = 0.2
    var center: SurfacePoint
    var rotation: HeadRotation
    var distance = FacePlane.eyeDistance

    init(center: SurfacePoint, pose: HeadPose) {
        self.center = center
        rotation = HeadRotation(pose)
    }

    func point(_ x: Double, _ y: Double, _ z: Double = 0) -> SurfacePoint {
        let position = rotation([x, y, z])
        return center + SurfacePoint(position.x, position.y) / max(Self.nearest, 1 - position.z / distance)
    }

    func project(_ outline: Outline) -> Outline { outline.mapped { point($0.x, $0.y) } }
}
