/// The values of a face that change gradually, as numbers to average and interpolate: box, eyes, mouth and angles.
package typealias FaceValues = SIMD16<Double>

extension FaceValues {
    /// The indices of roll, yaw and pitch.
    fileprivate static let angles = 10..<13

    /// Returns the values with each angle shifted by full turns so that it is nearest to the same angle of `other`.
    package func unwound(to other: FaceValues) -> FaceValues {
        var result = self
        for angle in Self.angles { result[angle] -= 360 * ((self[angle] - other[angle]) / 360).rounded() }
        return result
    }
}

extension FaceObject {
    /// Returns the face's values; unknown ones are taken from `others`. Without `others`, unknown points are the box's
    /// centre, and unknown angles 0.
    package func values(else others: FaceValues? = nil) -> FaceValues {
        let edges = [bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height]
        let points = [leftEye, rightEye, mouth].map { $0 ?? (others == nil ? bounds.center : nil) }
        let pose = pose ?? (others == nil ? HeadPose() : nil)
        let known = edges + points.flatMap { [$0?.x, $0?.y] } + [pose?.roll, pose?.yaw, pose?.pitch]
        var values = others ?? FaceValues(repeating: 0)
        for (index, value) in known.enumerated() { values[index] = value ?? values[index] }
        return values
    }

    /// Returns a copy of the face with the given values. A value that is unknown in this face stays unknown.
    package func with(_ values: FaceValues) -> FaceObject {
        func point(_ known: NormalizedPoint?, _ index: Int) -> NormalizedPoint? {
            known.map { _ in NormalizedPoint(x: values[index], y: values[index + 1]) }
        }
        var face = self
        face.bounds = NormalizedRect(from: [values[0], values[1]], to: [values[2], values[3]])
        face.leftEye = point(leftEye, 4)
        face.rightEye = point(rightEye, 6)
        face.mouth = point(mouth, 8)
        let angles = FaceValues.angles.map { values[$0].normalizedDegrees }
        face.pose = pose.map { pose in
            HeadPose(roll: angles[0], yaw: pose.yaw.map { _ in angles[1] }, pitch: pose.pitch.map { _ in angles[2] })
        }
        return face
    }
}
