/// A point on the drawing surface, in points from its top left corner; x grows to the right, y downwards.
typealias SurfacePoint = SIMD2<Double>

extension SurfacePoint {
    func distance(to other: SurfacePoint) -> Double { ((other - self) * (other - self)).sum().squareRoot() }
    func middle(to other: SurfacePoint) -> SurfacePoint { (self + other) / 2 }
}

/// A size on the drawing surface, in points.
package struct SurfaceSize: Hashable, Sendable {
    package var width: Double
    package var height: Double

    package init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

/// An upright rectangle on the drawing surface, in points from its top left corner.
struct SurfaceRect: Hashable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

extension SurfaceRect {
    /// The smallest rectangle that holds two opposite corners, whichever they are.
    init(corner: SurfacePoint, opposite: SurfacePoint) {
        let (low, high) = (pointwiseMin(corner, opposite), pointwiseMax(corner, opposite))
        self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
    }

    /// How much of the area lies in another rectangle too, in square points.
    func overlap(with other: SurfaceRect) -> Double {
        let across = min(x + width, other.x + other.width) - max(x, other.x)
        let along = min(y + height, other.y + other.height) - max(y, other.y)
        return max(0, across) * max(0, along)
    }

    var area: Double { width * height }
    var center: SurfacePoint { SurfacePoint(x: x + width / 2, y: y + height / 2) }

    /// The whole pixels that it touches on a surface of that size.
    func wholePixels(in size: SurfaceSize) -> SurfaceRect {
        let (left, top) = (max(0, x.rounded(.down)), max(0, y.rounded(.down)))
        let right = min(size.width, (x + width).rounded(.up)), bottom = min(size.height, (y + height).rounded(.up))
        return SurfaceRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
