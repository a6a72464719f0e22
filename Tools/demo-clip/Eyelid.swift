import FaceInference

/// Lowers the upper lid of one eye: the lid's skin is stretched down to the lower lid, its edge with it.
struct Eyelid {
    /// The part of the picture that the lid can reach.
    let area: Area
    /// The edges at each column of the area, as rows; nil beside the eye.
    private var edges: [(upper: Float, lower: Float)?]
    private let reach: Float

    /// How much of the dark line of the lashes lies above and below the lid's edge, in pixels at the clip's eye
    /// distance.
    private static let lashesAbove: Float = 2.5
    private static let lashesBelow: Float = 0.8

    /// Mesh points of the upper and the lower edge, from the corner at the left to the one at the right.
    static let left = (
        upper: [33, 246, 161, 160, 159, 158, 157, 173, 133], lower: [33, 7, 163, 144, 145, 153, 154, 155, 133]
    )
    static let right = (
        upper: [362, 398, 384, 385, 386, 387, 388, 466, 263], lower: [362, 382, 381, 380, 374, 373, 390, 249, 263]
    )

    init(_ landmarks: [PixelLandmark], _ indices: (upper: [Int], lower: [Int])) {
        let upper = indices.upper.map { landmarks[$0] }
        let lower = indices.lower.map { landmarks[$0] }
        let height = zip(upper, lower).map { $1.y - $0.y }.max() ?? 0
        let first = upper[0]
        let last = upper[upper.count - 1]
        let middle = (x: Double(first.x + last.x) / 2, y: Double(first.y + last.y) / 2)
        // The skin between lid and brow that gives way: about the eye's height.
        reach = 1.1 * height
        area = Area(around: middle, reachX: Double(last.x - first.x) / 2 + 2, reachY: Double(3 * height))
        edges = area.columns.map { x in
            guard let top = Self.row(of: upper, at: Float(x)), let bottom = Self.row(of: lower, at: Float(x)) else {
                return nil
            }
            return (top, max(top, bottom))
        }
    }

    /// The row of the portrait that is seen at a pixel of the area when the eye is closed by `closing`, 0…1.
    func sourceRow(_ x: Int, _ y: Int, closing: Float) -> Float {
        let row = Float(y)
        guard let edge = edges[x - area.left] else { return row }
        let opening = edge.lower - edge.upper
        let lowered = edge.upper + closing * (opening + 0.5)
        // The stretch begins higher in the eye's middle than at its corners, where nothing moves.
        let crease = edge.upper - min(reach, 1.5 * opening + 2)
        guard row > crease, row <= lowered + Self.lashesBelow else { return row }
        // The lashes go down as they are, and the skin above them is stretched.
        let lashes = min(Self.lashesAbove, (edge.upper - crease) / 2)
        if row > lowered - lashes { return row - lowered + edge.upper }
        return crease + (row - crease) / (lowered - lashes - crease) * (edge.upper - lashes - crease)
    }

    private static func row(of line: [PixelLandmark], at x: Float) -> Float? {
        for (start, end) in zip(line, line.dropFirst()) where start.x <= x && x <= end.x && end.x > start.x {
            return start.y + (end.y - start.y) * (x - start.x) / (end.x - start.x)
        }
        return nil
    }
}
