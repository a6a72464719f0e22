/// One landmark in pixels of the upright picture, with pixel centres at integers. The depth z is in the same unit.
package typealias PixelLandmark = SIMD3<Float>

/// The 478 landmarks of one face, with the indices of the MediaPipe face mesh. The analyzer owns the object and
/// overwrites it with the landmarks of each new frame.
package final class FaceLandmarks {
    /// The number of points: 468 of the mesh, then five for each iris.
    package static let count = 478

    package private(set) var all = [PixelLandmark](repeating: .zero, count: FaceLandmarks.count)

    package init() {}

    package internal(set) subscript(index: Int) -> PixelLandmark {
        get { all[index] }
        set { all[index] = newValue }
    }

    /// The bounding box of all points.
    var box: (low: SIMD2<Float>, high: SIMD2<Float>) { box(of: 0..<Self.count) }
    /// The bounding box of the face's outline, from forehead to chin.
    var outline: (low: SIMD2<Float>, high: SIMD2<Float>) { box(of: FaceMeshIndices.faceOval) }

    func box(of indices: some Sequence<Int>) -> (low: SIMD2<Float>, high: SIMD2<Float>) {
        FaceInference.box(of: indices.lazy.map { SIMD2(self[$0].x, self[$0].y) })
    }

    func copy(_ other: FaceLandmarks) { all.replaceSubrange(all.indices, with: other.all) }

    /// Returns all points as fractions of the width and height of an upright picture of this size in pixels.
    package func shares(of size: FrameSize) -> [FaceLandmark] {
        all.map { point in
            let place = size.share(of: SIMD2(point.x, point.y))
            return FaceLandmark(x: place.x, y: place.y, z: Double(point.z) / Double(size.width))
        }
    }
}

@inline(__always)
func box(of points: some Sequence<SIMD2<Float>>) -> (low: SIMD2<Float>, high: SIMD2<Float>) {
    var low = SIMD2<Float>(repeating: .infinity)
    var high = -low
    for point in points {
        low.replace(with: point, where: point .< low)
        high.replace(with: point, where: point .> high)
    }
    return (low, high)
}
