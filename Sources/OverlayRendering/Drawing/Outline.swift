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

    init(polygon points: [SurfacePoint]) {
        contours = [Contour(points: points, isClosed: true)]
    }

    init(line points: [SurfacePoint]) {
        contours = [Contour(points: points, isClosed: false)]
    }

    init(polygons: [[SurfacePoint]]) {
        contours = polygons.map { Contour(points: $0, isClosed: true) }
    }

    /// The corners of the smallest convex polygon around points, all such polygons in the same direction (Andrew's monotone
    /// chain).
    static func hull(_ points: [SurfacePoint]) -> [SurfacePoint] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count > 2 else { return sorted }
        func half(_ points: some Sequence<SurfacePoint>) -> [SurfacePoint] {
            var chain: [SurfacePoint] = []
            for point in points {
                while let last = chain.last, let before = chain.dropLast().last {
                    let turn = (last.x - before.x) * (point.y - before.y) - (last.y - before.y) * (point.x - before.x)
                    guard turn <= 0 else { break }
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
            let t = Double(piece) / Double(Self.piecesPerCurve)
            let s = 1 - t
            let (w0, w1, w2, w3) = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
            line(
                to: w0 * start.x + w1 * control1.x + w2 * control2.x + w3 * x,
                w0 * start.y + w1 * control1.y + w2 * control2.y + w3 * y
            )
        }
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
        var (low, high) = (first, first)
        for point in points {
            low = SurfacePoint(x: min(low.x, point.x), y: min(low.y, point.y))
            high = SurfacePoint(x: max(high.x, point.x), y: max(high.y, point.y))
        }
        return SurfaceRect(corner: low, opposite: high)
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
