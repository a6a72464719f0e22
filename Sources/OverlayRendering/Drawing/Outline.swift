import Glibc

/// A shape made of closed and open lines. Curves are broken into short straight pieces as they are added, so that the
/// shape can go through any projection, not only an affine one.
struct Outline: Hashable, Sendable {
    private(set) var lines: [[SurfacePoint]]
    /// Whether a last piece of each line leads back to its first point.
    private(set) var isClosed = true
    /// Pieces a curve is broken into: a quarter circle of 250 points then deviates by about 0.1 point.
    private static let piecesPerCurve = 24

    init(polygons: [[SurfacePoint]]) { lines = polygons }
    init(polygon points: [SurfacePoint]) { lines = [points] }
    init(line points: [SurfacePoint]) { (lines, isClosed) = ([points], false) }

    /// The corners of the convex hull of points, all hulls in the same direction (Andrew's monotone chain).
    static func hull(_ points: [SurfacePoint]) -> [SurfacePoint] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count > 2 else { return sorted }
        func half(_ points: some Sequence<SurfacePoint>) -> [SurfacePoint] {
            var chain: [SurfacePoint] = []
            for point in points {
                while let last = chain.last, let before = chain.dropLast().last {
                    let (one, other) = (last - before, point - before)
                    guard one.x * other.y <= one.y * other.x else { break }
                    chain.removeLast()
                }
                chain.append(point)
            }
            return chain.dropLast()
        }
        return half(sorted) + half(sorted.reversed())
    }

    /// A shape bounded by cubic Bézier curves, each with its end and the control points near its start and its end.
    init(from start: SurfacePoint, _ curves: [(end: SurfacePoint, near: SurfacePoint, far: SurfacePoint)]) {
        var points = [start]
        for (end, near, far) in curves { points += Self.curve(from: points[points.count - 1], to: end, near, far) }
        self.init(polygon: points)
    }

    /// A rectangle, whose corners may be round.
    init(_ rect: SurfaceRect, radius: Double = 0) {
        let radius = max(0, min(radius, rect.width / 2, rect.height / 2))
        let straight = SurfacePoint(rect.width / 2 - radius, rect.height / 2 - radius)
        // The offset of half a piece keeps the circle's points off the borders of its quarters.
        let circle = Self.ellipse(.zero, [1, 1], pieces: radius > 0 ? 4 * Self.piecesPerCurve : 4, first: 0.5)
        self.init(
            polygon: circle.map { way in
                rect.center + way * radius + straight * [way.x < 0 ? -1 : 1, way.y < 0 ? -1 : 1]
            }
        )
    }

    init(ellipse center: SurfacePoint, _ radiusX: Double, _ radiusY: Double) {
        self.init(polygon: Self.ellipse(center, [radiusX, radiusY], pieces: 4 * Self.piecesPerCurve))
    }

    /// Corners of a polygon inside an ellipse; the first lies at its right, or so many pieces further.
    static func ellipse(
        _ center: SurfacePoint,
        _ radius: SurfacePoint,
        pieces: Int,
        first: Double = 0
    ) -> [SurfacePoint] {
        (0..<pieces).map { piece in
            let angle = 2 * Double.pi * (Double(piece) + first) / Double(pieces)
            return center + radius * SurfacePoint(cos(angle), sin(angle))
        }
    }

    /// The points of a cubic Bézier curve but its first.
    static func curve(
        from start: SurfacePoint,
        to end: SurfacePoint,
        _ near: SurfacePoint,
        _ far: SurfacePoint
    ) -> [SurfacePoint] {
        (1...piecesPerCurve).map { cubic(Double($0) / Double(piecesPerCurve), start, near, far, end) }
    }

    /// Where a cubic Bézier curve of four points is after a share of it.
    static func cubic<Point: SIMD>(_ share: Double, _ start: Point, _ near: Point, _ far: Point, _ end: Point) -> Point
    where Point.Scalar == Double {
        let (t, s) = (share, 1 - share)
        return start * (s * s * s) + near * (3 * s * s * t) + far * (3 * s * t * t) + end * (t * t * t)
    }

    /// Both shapes, closed.
    static func + (one: Outline, other: Outline) -> Outline { Outline(polygons: one.lines + other.lines) }

    /// The smallest upright rectangle around all points; nil if there is none.
    var bounds: SurfaceRect? {
        let points = lines.joined()
        guard let first = points.first else { return nil }
        return SurfaceRect(corner: points.reduce(first, pointwiseMin), opposite: points.reduce(first, pointwiseMax))
    }

    /// The same shape with each point moved.
    func mapped(_ transform: (SurfacePoint) -> SurfacePoint) -> Outline {
        var result = self
        result.lines = lines.map { $0.map(transform) }
        return result
    }
}
