import Glibc

/// A shape made of closed and open lines. Curves are broken into short straight pieces as they are added, so that the
/// shape can go through any projection, not only an affine one.
struct Outline: Hashable, Sendable {
    /// One line from its first point to its last, and back if it is closed.
    struct Contour: Hashable, Sendable {
        var points: [SurfacePoint]
        /// Whether a last piece leads back to the first point.
        var isClosed: Bool
    }

    private(set) var contours: [Contour] = []

    /// Pieces a curve is broken into: a quarter circle of 250 points then deviates by about 0.1 point.
    private static let piecesPerCurve = 24

    init() {}

    init(polygons: [[SurfacePoint]], isClosed: Bool = true) {
        contours = polygons.map { Contour(points: $0, isClosed: isClosed) }
    }

    init(polygon points: [SurfacePoint]) { self.init(polygons: [points]) }

    init(line points: [SurfacePoint]) { self.init(polygons: [points], isClosed: false) }

    /// The corners of the smallest convex polygon around points, all such polygons in the same direction (Andrew's monotone
    /// chain).
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

    mutating func move(to x: Double, _ y: Double) {
        contours.append(Contour(points: [SurfacePoint(x: x, y: y)], isClosed: false))
    }

    /// Goes straight to a point; begins a line there if there is none.
    mutating func line(to x: Double, _ y: Double) {
        guard !contours.isEmpty else { return move(to: x, y) }
        contours[contours.count - 1].points.append(SurfacePoint(x: x, y: y))
    }

    /// Goes to a point in a cubic Bézier curve; begins a line at it if there is none.
    mutating func curve(
        to x: Double,
        _ y: Double,
        control1: (x: Double, y: Double),
        control2: (x: Double, y: Double)
    ) {
        guard let start = contours.last?.points.last else { return move(to: x, y) }
        for piece in 1...Self.piecesPerCurve {
            let share = Double(piece) / Double(Self.piecesPerCurve)
            let (near, far) = (SurfacePoint(control1.x, control1.y), SurfacePoint(control2.x, control2.y))
            let point = Self.cubic(share, start, near, far, SurfacePoint(x, y))
            line(to: point.x, point.y)
        }
    }

    /// Where a cubic Bézier curve of four points is after a share of it.
    static func cubic<Point: SIMD>(_ share: Double, _ start: Point, _ near: Point, _ far: Point, _ end: Point) -> Point
    where Point.Scalar == Double {
        let (t, s) = (share, 1 - share)
        return start * (s * s * s) + near * (3 * s * s * t) + far * (3 * s * t * t) + end * (t * t * t)
    }

    mutating func close() {
        guard !contours.isEmpty else { return }
        contours[contours.count - 1].isClosed = true
    }

    mutating func addEllipse(x: Double, y: Double, radiusX: Double, radiusY: Double) {
        let pieces = 4 * Self.piecesPerCurve
        let points = (0..<pieces).map { piece in
            let angle = 2 * Double.pi * Double(piece) / Double(pieces)
            return SurfacePoint(x: x + radiusX * cos(angle), y: y + radiusY * sin(angle))
        }
        contours.append(Contour(points: points, isClosed: true))
    }

    mutating func addRoundedRect(_ rect: SurfaceRect, radius: Double) {
        let radius = max(0, min(radius, rect.width / 2, rect.height / 2))
        // How far a curve's control points lie from a quarter circle's ends: 4/3 · (√2 − 1).
        let reach = radius * (1 - 0.5522847498)
        let (left, top, right, bottom) = (rect.x, rect.y, rect.x + rect.width, rect.y + rect.height)
        move(to: left + radius, top)
        line(to: right - radius, top)
        curve(to: right, top + radius, control1: (right - reach, top), control2: (right, top + reach))
        line(to: right, bottom - radius)
        curve(to: right - radius, bottom, control1: (right, bottom - reach), control2: (right - reach, bottom))
        line(to: left + radius, bottom)
        curve(to: left, bottom - radius, control1: (left + reach, bottom), control2: (left, bottom - reach))
        line(to: left, top + radius)
        curve(to: left + radius, top, control1: (left, top + reach), control2: (left + reach, top))
        close()
    }

    /// The smallest upright rectangle around all points; nil if there is none.
    var bounds: SurfaceRect? {
        let points = contours.flatMap(\.points)
        guard let first = points.first else { return nil }
        return SurfaceRect(corner: points.reduce(first, pointwiseMin), opposite: points.reduce(first, pointwiseMax))
    }

    /// The same shape with each point moved.
    func mapped(_ transform: (SurfacePoint) -> SurfacePoint) -> Outline {
        var result = self
        for index in result.contours.indices {
            result.contours[index].points = contours[index].points.map(transform)
        }
        return result
    }
}
