import Glibc

/// A shape made of closed or open lines. Curves are broken into short straight pieces as they are added, so that the
/// shape can go through any projection, not only an affine one.
struct Outline: Hashable, Sendable {
    private(set) var lines: [[SurfacePoint]]
    /// Whether a last piece of each line leads back to its first point.
    private(set) var isClosed = true
    /// The number of pieces of a curve: a quarter circle of 250 points then deviates by about 0.1 point.
    private static let piecesPerCurve = 24

    /// The corners of the convex hull of points, all hulls in the same direction (Andrew's monotone chain).
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
    /// A cubic Bézier curve: its end, and the control points near its start and its end.
    typealias Curve = (end: SurfacePoint, near: SurfacePoint, far: SurfacePoint)

    init(polygon points: [SurfacePoint]) { self.init(lines: [points]) }
    init(line points: [SurfacePoint]) { self.init(lines: [points], isClosed: false) }

    /// Makes a line along curves, or the shape that they bound.
    init(from start: SurfacePoint, _ curves: [Curve], isClosed: Bool = true) {
        var points = [start]
        for curve in curves {
            let last = points[points.count - 1]
            let shares = (1...Self.piecesPerCurve).map { Double($0) / Double(Self.piecesPerCurve) }
            points += shares.map { Self.cubic($0, from: last, curve) }
        }
        self.init(lines: [points], isClosed: isClosed)
    }

    /// Makes a rectangle, perhaps with round corners.
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

    /// The corners of a polygon inside an ellipse; the first is at its right, turned by `first` pieces.
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

    /// The point on the curve at a share `t` of its length parameter, 0…1.
    static func cubic(_ t: Double, from start: SurfacePoint, _ curve: Curve) -> SurfacePoint {
        let s = 1 - t
        let first = start * (s * s * s) + curve.near * (3 * s * s * t)
        return first + curve.far * (3 * s * t * t) + curve.end * (t * t * t)
    }

    /// Both shapes, closed.
    static func + (one: Outline, other: Outline) -> Outline { Outline(lines: one.lines + other.lines) }

    /// The smallest upright rectangle around all points; nil if there is none.
    var bounds: SurfaceRect? {
        let points = lines.joined()
        guard let first = points.first else { return nil }
        return SurfaceRect(corner: points.reduce(first, pointwiseMin), opposite: points.reduce(first, pointwiseMax))
    }

    func mapped(_ transform: (SurfacePoint) -> SurfacePoint) -> Outline {
        Outline(lines: lines.map { $0.map(transform) }, isClosed: isClosed)
    }
}
