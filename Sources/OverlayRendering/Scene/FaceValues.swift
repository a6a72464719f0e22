/// The values of a face that move, as numbers to average and interpolate: edges of the box, eyes, mouth, angles.
package typealias FaceValues = SIMD16<Double>

extension FaceValues {
    /// The indices of the angles among these numbers.
    fileprivate static let angles = 10..<13

    /// The same values with the angles nearest to those of `other`, so that from 179° to −179° is 2°.
    package func unwound(to other: FaceValues) -> FaceValues {
        var result = self
        for angle in Self.angles { result[angle] -= 360 * ((self[angle] - other[angle]) / 360).rounded() }
        return result
    }
}

extension FaceObject {
    /// Face's values; unknown ones are taken from `others`, or else are in the middle of the face and straight ahead.
    package func values(else others: FaceValues? = nil) -> FaceValues {
        let edges = [bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height]
        let points = [leftEye, rightEye, mouth].map { $0 ?? (others == nil ? bounds.center : nil) }
        let pose = pose ?? (others == nil ? HeadPose() : nil)
        let known = edges + points.flatMap { [$0?.x, $0?.y] } + [pose?.roll, pose?.yaw, pose?.pitch]
        var values = others ?? FaceValues(repeating: 0)
        for (index, value) in known.enumerated() { values[index] = value ?? values[index] }
        return values
    }

    /// The face with other values; what is unknown stays unknown.
    package func with(_ values: FaceValues) -> FaceObject {
        func point(_ known: NormalizedPoint?, _ index: Int) -> NormalizedPoint? {
            known.map { _ in NormalizedPoint(x: values[index], y: values[index + 1]) }
        }
        var face = self
        face.bounds = NormalizedRect(left: values[0], top: values[1], right: values[2], bottom: values[3])
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
