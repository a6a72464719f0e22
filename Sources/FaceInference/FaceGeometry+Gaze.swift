import FaceMetadata

extension FaceGeometry {
    /// Where a face of that pose looks: where its irises lie between the corners of its eyes, and where its head points.
    ///
    /// An eyeball turns about a point behind that line, which the head takes along: seen from the camera, the iris moves by the radius of
    /// its circle for each radian of the gaze, and the line by its distance from that point for each radian of the head.
    func gaze(with pose: HeadPose, unit: Float) -> Gaze? {
        guard unit > 0 else { return nil }
        var (offset, total) = (SIMD2<Float>.zero, Float.zero)
        for (eye, iris) in GazeFormula.eyes {
            let line = cornerLine(of: eye)
            let place = center(of: iris) - line.middle
            // The far eye of a turned head is seen from the side, and often half hidden.
            let weight = line.width * line.width
            offset += weight * SIMD2((place * line.along).sum(), -(place * line.down).sum())
            total += weight
        }
        guard total > 0 else { return nil }
        offset /= total * unit
        typealias Formula = GazeFormula
        let trust = Formula.trust(yaw: pose.yaw)
        let irises = Gaze(
            yaw: Formula.head * pose.yaw + Formula.iris * Double(offset.x),
            pitch: Formula.head * pose.pitch + Formula.iris * Double(offset.y) + Formula.neutralPitch
        )
        let head = Gaze(yaw: pose.yaw, pitch: Formula.head * pose.pitch + Formula.neutralHeadPitch)
        let yaw = trust * irises.yaw + (1 - trust) * head.yaw
        let pitch = trust * irises.pitch + (1 - trust) * head.pitch
        return Gaze(yaw: min(max(yaw, -90), 90), pitch: min(max(pitch, -90), 90))
    }

    /// The mean diameter of the irises, in pixels.
    var irisDiameter: Float {
        var sum: Float = 0
        for (_, iris) in GazeFormula.eyes { sum += distance(iris[1], iris[3]) + distance(iris[2], iris[4]) }
        return sum / 4
    }
}

/// The first three are printed by `Tools/look-formula.py`, which fits them to recorded landmarks of people who look at the
/// camera or away. They are what the size of eyes makes them: an iris that turns on a radius of 10.5 mm, with outer eye
/// corners 90 mm apart, moves by a unit in 491°, and the corners turn with the head on two thirds of that radius.
private enum GazeFormula {
    static let eyes = [
        (FaceMeshIndices.leftEye, FaceMeshIndices.leftIris), (FaceMeshIndices.rightEye, FaceMeshIndices.rightIris),
    ]
    /// Degrees for each degree of the head.
    static let head = 0.68
    /// Degrees for each distance between the outer eye corners that the iris lies away from the middle of its eye's corners.
    static let iris = 472.0
    /// Degrees to add, so that a look into the camera is 0: irises lie above the corners of open eyes.
    static let neutralPitch = -11.7
    /// The same without the irises.
    static let neutralHeadPitch = -3.0
    /// Up to which yaw of the head, in degrees to either side, the irises count fully, and from which not at all: one is then
    /// hidden, and the other is seen from the side.
    private static let yaws = 25.0...35.0

    /// How much the irises of a head with that yaw count, 0…1; the rest is the head alone.
    static func trust(yaw: Double) -> Double {
        min(1, max(0, (yaws.upperBound - abs(yaw)) / (yaws.upperBound - yaws.lowerBound)))
    }
}
