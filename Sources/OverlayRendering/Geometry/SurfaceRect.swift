/// A point or a vector on the drawing surface, in points; x grows to the right, y downwards.
typealias SurfacePoint = SIMD2<Double>

extension SurfacePoint {
    var length: Double { (self * self).sum().squareRoot() }
    func distance(to other: SurfacePoint) -> Double { (other - self).length }
    func middle(to other: SurfacePoint) -> SurfacePoint { (self + other) / 2 }
}

/// A size on the drawing surface, in points.
package typealias SurfaceSize = SIMD2<Double>

extension SurfaceSize {
    package var width: Double { x }
    package var height: Double { y }

    package init(width: Double, height: Double) { self.init(x: width, y: height) }
}

extension FrameSize {
    /// The size in points of a surface with one point per pixel.
    package var points: SurfaceSize { SurfaceSize(width: Double(width), height: Double(height)) }

    package init(_ points: SurfaceSize) { self.init(width: Int(points.width), height: Int(points.height)) }
}

/// An axis-parallel rectangle on the drawing surface, in points.
struct SurfaceRect: Hashable, Sendable {
    var origin: SurfacePoint
    var size: SurfaceSize
}

extension SurfaceRect {
    var x: Double { origin.x }
    var y: Double { origin.y }
    var width: Double { size.width }
    var height: Double { size.height }
    var end: SurfacePoint { origin + size }
    var center: SurfacePoint { origin + size / 2 }
    var area: Double { width * height }

    init(center: SurfacePoint, size: SurfaceSize) { self.init(origin: center - size / 2, size: size) }

    /// Makes the rectangle between two opposite corners, given in any order.
    init(corner: SurfacePoint, opposite: SurfacePoint) {
        let origin = pointwiseMin(corner, opposite)
        self.init(origin: origin, size: pointwiseMax(corner, opposite) - origin)
    }

    func overlap(with other: SurfaceRect) -> Double {
        let shared = pointwiseMin(end, other.end) - pointwiseMax(origin, other.origin)
        return max(0, shared.x) * max(0, shared.y)
    }

    /// Returns the rectangle grown to whole pixels and cut off at the edges of a surface of the given size.
    func wholePixels(in size: SurfaceSize) -> SurfaceRect {
        let first = pointwiseMax(.zero, origin.rounded(.down))
        return SurfaceRect(origin: first, size: pointwiseMin(size, end.rounded(.up)) - first)
    }
}
