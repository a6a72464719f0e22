/// A shape of polylines that are all closed or all open. Curves are broken into short straight pieces as they are
/// added, so that the shape can go through any projection, not only an affine one.
struct Outline: Hashable, Sendable {
    private(set) var lines: [[SurfacePoint]]
    /// Whether the last point of each line is connected with its first point.
    private(set) var isClosed = true
    /// The number of straight pieces of a curve: a quarter circle with a radius of 250 points deviates by 0.1 point.
    private static let piecesPerCurve = 24

    /// Returns the corners of the convex hull of points; all hulls wind in the same direction (monotone chain).
    static func hull(_ points: [SurfacePoint]) -> [SurfacePoint] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count > 2 else { return sorted }
        func half(_ points: some Sequence<SurfacePoint>) -> [SurfacePoint] {
            var chain: [SurfacePoint] = []
            for point in points {
                while let last = chain.last, let before = chain.dropLast().last {
                    let one = last - before
                    let other = point - before
                    guard one.x * other.y <= one.y * other.x else { break }
                    chain.removeLast()
                }
                chain.append(point)
            }
            return chain.dropLast()
        }
        return half(sorted) + half(sorted.reversed())
    }
}

extension Outline {
    /// A cubic Bézier curve, without its start: the end, the control point near the start, and that near the end.
    typealias Curve = (end: SurfacePoint, near: SurfacePoint, far: SurfacePoint)

    init(polygon points: [SurfacePoint]) { self.init(lines: [points]) }
    init(line points: [SurfacePoint]) { self.init(lines: [points], isClosed: false) }

    /// Makes one line of connected curves that begins at `start`.
    init(from start: SurfacePoint, _ curves: [Curve], isClosed: Bool = true) {
        var points = [start]
        for curve in curves {
            let last = points[points.count - 1]
            let shares = (1...Self.piecesPerCurve).map { Double($0) / Double(Self.piecesPerCurve) }
            points += shares.map { Self.cubic($0, from: last, curve) }
        }
        self.init(lines: [points], isClosed: isClosed)
    }

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

    /// Returns `pieces` points at equal steps around an ellipse. The first is `first` steps after the rightmost point.
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

    /// Returns the point of a curve at the parameter `t`, 0…1.
    static func cubic(_ t: Double, from start: SurfacePoint, _ curve: Curve) -> SurfacePoint {
        let s = 1 - t
        let first = start * (s * s * s) + curve.near * (3 * s * s * t)
        return first + curve.far * (3 * s * t * t) + curve.end * (t * t * t)
    }

    /// Joins the lines of both outlines in one closed outline.
    static func + (one: Outline, other: Outline) -> Outline { Outline(lines: one.lines + other.lines) }

    /// The bounding box of all points; nil if there are no points.
    var bounds: SurfaceRect? {
        let points = lines.joined()
        guard let first = points.first else { return nil }
        return SurfaceRect(corner: points.reduce(first, pointwiseMin), opposite: points.reduce(first, pointwiseMax))
    }

    func mapped(_ transform: (SurfacePoint) -> SurfacePoint) -> Outline {
        Outline(lines: lines.map { $0.map(transform) }, isClosed: isClosed)
    }
}
