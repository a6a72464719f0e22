/// A point on the drawing surface, in points from its top left corner; x grows to the right, y downwards.
package struct SurfacePoint: Hashable, Sendable {
    /// Points from the left edge.
    package var x: Double

    /// Points from the top edge.
    package var y: Double

    /// Makes a point from its distances to the left and the top edge.
    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The distance to another point.
    package func distance(to other: SurfacePoint) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }

    /// The point halfway to another one.
    package func middle(to other: SurfacePoint) -> SurfacePoint {
        SurfacePoint(x: (x + other.x) / 2, y: (y + other.y) / 2)
    }
}

/// A size on the drawing surface, in points.
package struct SurfaceSize: Hashable, Sendable {
    /// From left to right.
    package var width: Double

    /// From top to bottom.
    package var height: Double

    /// Makes a size from its width and height in points.
    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// An upright rectangle on the drawing surface, in points.
package struct SurfaceRect: Hashable, Sendable {
    /// The left edge.
    package var x: Double

    /// The top edge.
    package var y: Double

    /// The width.
    package var width: Double

    /// The height.
    package var height: Double

    /// Makes a rectangle from its top left corner and its size.
    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The smallest rectangle that holds two opposite corners, whichever they are.
    package init(corner: SurfacePoint, opposite: SurfacePoint) {
        self.init(
            x: min(corner.x, opposite.x),
            y: min(corner.y, opposite.y),
            width: abs(opposite.x - corner.x),
            height: abs(opposite.y - corner.y)
        )
    }

    /// How much of the area lies in another rectangle too, in square points.
    func overlap(with other: SurfaceRect) -> Double {
        let across = min(x + width, other.x + other.width) - max(x, other.x)
        let along = min(y + height, other.y + other.height) - max(y, other.y)
        return max(0, across) * max(0, along)
    }

    /// The area in square points.
    var area: Double { width * height }

    /// The centre.
    package var center: SurfacePoint { SurfacePoint(x: x + width / 2, y: y + height / 2) }
}
