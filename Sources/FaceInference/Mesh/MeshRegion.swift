import Glibc

/// A part of the face, lips or an eye, that the landmark model refines: its points, and two that give its rotation.
struct MeshRegion: Sendable {
    let points: [Int]
    let rotationFrom: Int
    let rotationTo: Int

    /// All parts, in the order of the model's graph. The indices come from the options of the graph's operators.
    static let all = [
        MeshRegion(points: FaceMeshIndices.refinedLips, rotationFrom: 61, rotationTo: 291),
        MeshRegion(points: FaceMeshIndices.refinedLeftEye, rotationFrom: 33, rotationTo: 133),
        MeshRegion(points: FaceMeshIndices.refinedRightEye, rotationFrom: 362, rotationTo: 263),
    ]

    /// The side of the cut-out feature map in cells.
    private static let side: Float = 16
    /// The size of the region as a multiple of the points' bounding box.
    private static let scale: Float = 1.5

    /// Writes the 4×4 matrix that maps positions in the cut-out (0…16) to those in `mesh`, with x, y, z per point.
    func writeMatrix(mesh: UnsafePointer<Float>, to matrix: UnsafeMutablePointer<Float>) {
        func point(_ index: Int) -> SIMD2<Float> { SIMD2(mesh[3 * index], mesh[3 * index + 1]) }
        let line = point(rotationTo) - point(rotationFrom)
        let angle = -atan2f(line.y, line.x)
        let (sine, cosine) = (sinf(angle), cosf(angle))
        let turn = AffineTransform(a: cosine, b: -sine, c: sine, d: cosine, tx: 0, ty: 0)
        let (low, high) = box(of: points.lazy.map { turn(point($0)) })
        let back = AffineTransform(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
        let center = back((low + high) / 2)
        let scale = Self.scale * (high - low) / Self.side
        let half = Self.side / 2
        matrix.update(repeating: 0, count: 16)
        matrix[0] = cosine * scale.x
        matrix[1] = sine * scale.y
        matrix[3] = center.x - half * (matrix[0] + matrix[1])
        matrix[4] = -sine * scale.x
        matrix[5] = cosine * scale.y
        matrix[7] = center.y - half * (matrix[4] + matrix[5])
        matrix[10] = 1
        matrix[15] = 1
    }

    /// Samples a 16×16 map of 32 channels from a 48×48 one, at the places that `matrix` gives; zero outside.
    static func cutOut(_ map: UnsafePointer<Float>, _ matrix: AffineTransform, to output: UnsafeMutablePointer<Float>) {
        let size = 48
        let side = 16
        let channels = 32
        let last = Float(size - 1)
        for row in 0..<side {
            for column in 0..<side {
                let target = output + (row * side + column) * channels
                let place = matrix(SIMD2(Float(column), Float(row)) + 0.5) - 0.5
                // This form counts NaN as outside too.
                guard Swift.all(place .>= 0), Swift.all(place .<= last) else {
                    target.update(repeating: 0, count: channels)
                    continue
                }
                let left = Int(place.x)
                let top = Int(place.y)
                let right = min(left + 1, size - 1)
                let bottom = min(top + 1, size - 1)
                let fraction = place - place.rounded(.down)
                let topLeft = map + (top * size + left) * channels
                let topRight = map + (top * size + right) * channels
                let bottomLeft = map + (bottom * size + left) * channels
                let bottomRight = map + (bottom * size + right) * channels
                for channel in 0..<channels {
                    let above = topLeft[channel] + fraction.x * (topRight[channel] - topLeft[channel])
                    let below = bottomLeft[channel] + fraction.x * (bottomRight[channel] - bottomLeft[channel])
                    target[channel] = above + fraction.y * (below - above)
                }
            }
        }
    }
}
