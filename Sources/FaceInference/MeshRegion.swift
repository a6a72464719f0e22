import Glibc

/// A part of the face that the landmark model looks at a second time: which points it spans, and which two give its
/// rotation.
struct MeshRegion: Sendable {
    let points: [Int]
    let rotationFrom: Int
    let rotationTo: Int

    /// In the order of the model's graph; the values stand in the options of its operators.
    static let all = [
        MeshRegion(points: FaceMeshIndices.refinedLips, rotationFrom: 61, rotationTo: 291),
        MeshRegion(points: FaceMeshIndices.refinedLeftEye, rotationFrom: 33, rotationTo: 133),
        MeshRegion(points: FaceMeshIndices.refinedRightEye, rotationFrom: 362, rotationTo: 263),
    ]

    /// Side of the cut-out feature map.
    private static let side: Float = 16
    /// How much larger than the points' box the region is.
    private static let scale: Float = 1.5

    /// Writes the 4×4 matrix that maps positions in the cut-out (0…16) to the coordinates of the mesh, which has x, y, z
    /// for each point.
    func writeMatrix(mesh: UnsafePointer<Float>, to matrix: UnsafeMutablePointer<Float>) {
        let angle = -atan2f(
            mesh[3 * rotationTo + 1] - mesh[3 * rotationFrom + 1],
            mesh[3 * rotationTo] - mesh[3 * rotationFrom]
        )
        let (sine, cosine) = (sinf(angle), cosf(angle))
        var (minX, minY, maxX, maxY) = (Float.infinity, Float.infinity, -Float.infinity, -Float.infinity)
        for point in points {
            let x = mesh[3 * point] * cosine - mesh[3 * point + 1] * sine
            let y = mesh[3 * point] * sine + mesh[3 * point + 1] * cosine
            (minX, maxX) = (min(minX, x), max(maxX, x))
            (minY, maxY) = (min(minY, y), max(maxY, y))
        }
        let (middleX, middleY) = ((minX + maxX) / 2, (minY + maxY) / 2)
        let centerX = middleX * cosine + middleY * sine
        let centerY = -middleX * sine + middleY * cosine
        let scaleX = Self.scale * (maxX - minX) / Self.side
        let scaleY = Self.scale * (maxY - minY) / Self.side
        let half = Self.side / 2
        matrix.update(repeating: 0, count: 16)
        matrix[0] = cosine * scaleX
        matrix[1] = sine * scaleY
        matrix[3] = centerX - half * (matrix[0] + matrix[1])
        matrix[4] = -sine * scaleX
        matrix[5] = cosine * scaleY
        matrix[7] = centerY - half * (matrix[4] + matrix[5])
        matrix[10] = 1
        matrix[15] = 1
    }

    // The other two custom operators of the landmark model, on plain memory.

    /// Samples a 48×48 map of 32 channels into one of 16×16, zero outside.
    static func cutOut(
        _ map: UnsafePointer<Float>,
        matrix: UnsafePointer<Float>,
        to output: UnsafeMutablePointer<Float>
    ) {
        let (size, side, channels) = (48, 16, 32)
        let last = Float(size - 1)
        for row in 0..<side {
            for column in 0..<side {
                let target = output + (row * side + column) * channels
                let (u, v) = (Float(column) + 0.5, Float(row) + 0.5)
                let x = matrix[0] * u + matrix[1] * v + matrix[3] - 0.5
                let y = matrix[4] * u + matrix[5] * v + matrix[7] - 0.5
                // Written so that a position that is not a number is outside too.
                guard x >= 0, x <= last, y >= 0, y <= last else {
                    target.update(repeating: 0, count: channels)
                    continue
                }
                let (left, top) = (Int(x), Int(y))
                let (right, bottom) = (min(left + 1, size - 1), min(top + 1, size - 1))
                let (fx, fy) = (x - Float(left), y - Float(top))
                let topLeft = map + (top * size + left) * channels
                let topRight = map + (top * size + right) * channels
                let bottomLeft = map + (bottom * size + left) * channels
                let bottomRight = map + (bottom * size + right) * channels
                for channel in 0..<channels {
                    let above = topLeft[channel] + fx * (topRight[channel] - topLeft[channel])
                    let below = bottomLeft[channel] + fx * (bottomRight[channel] - bottomLeft[channel])
                    target[channel] = above + fy * (below - above)
                }
            }
        }
    }

    /// Maps points (x, y) from the cut-out to the mesh's coordinates.
    static func transform(
        _ points: UnsafePointer<Float>,
        count: Int,
        matrix: UnsafePointer<Float>,
        to output: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<count {
            let (x, y) = (points[2 * index], points[2 * index + 1])
            output[2 * index] = matrix[0] * x + matrix[1] * y + matrix[3]
            output[2 * index + 1] = matrix[4] * x + matrix[5] * y + matrix[7]
        }
    }
}
