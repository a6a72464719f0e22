/// An axis-parallel rectangle in the upright picture, as fractions of its width and height from the top-left corner.
public struct NormalizedRect: Hashable, Sendable {
    /// The left edge, as a fraction of the picture's width.
    public var x: Double
    /// The top edge, as a fraction of the picture's height.
    public var y: Double
    /// The width, as a fraction of the picture's width.
    public var width: Double
    /// The height, as a fraction of the picture's height.
    public var height: Double

    /// Makes a rectangle from its top-left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package init(center: SIMD2<Double>, size: SIMD2<Double>) {
        self.init(x: center.x - size.x / 2, y: center.y - size.y / 2, width: size.x, height: size.y)
    }

    package var origin: SIMD2<Double> { [x, y] }
    package var size: SIMD2<Double> { [width, height] }
    package static let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    package static let zero = NormalizedRect(x: 0, y: 0, width: 0, height: 0)

    package init(from low: SIMD2<Double>, to high: SIMD2<Double>) {
        self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
    }

    /// The centre.
    public var center: NormalizedPoint { NormalizedPoint(x: x + width / 2, y: y + height / 2) }

    /// The area, as a fraction of the picture's area; 0 for a rectangle without extent.
    public var area: Double { max(0, width) * max(0, height) }

    /// Whether a point lies inside the rectangle or on its border.
    package func contains(_ point: NormalizedPoint) -> Bool {
        point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
    }

    /// Returns the intersection over union, 0…1, with another rectangle; 0 if either is empty or not finite.
    public func intersectionOverUnion(_ other: NormalizedRect) -> Double {
        // Swift's min and max ignore NaN, and would use the other rectangle's edge instead.
        guard (x + y + width + height + other.x + other.y + other.width + other.height).isFinite else { return 0 }
        let overlap = overlap(with: other)
        return overlap > 0 ? overlap / (area + other.area - overlap) : 0
    }

    /// Returns the area that both rectangles cover; 0 if they are apart.
    package func overlap(with other: NormalizedRect) -> Double {
        let overlapWidth = min(x + width, other.x + other.width) - max(x, other.x)
        let overlapHeight = min(y + height, other.y + other.height) - max(y, other.y)
        return max(0, overlapWidth) * max(0, overlapHeight)
    }
}
