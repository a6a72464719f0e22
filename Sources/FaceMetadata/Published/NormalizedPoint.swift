/// A point in the upright picture, as fractions of its width and height from the top-left corner. A point outside the
/// picture has coordinates outside 0…1.
public struct NormalizedPoint: Hashable, Sendable {
    /// The distance from the left edge, as a fraction of the picture's width.
    public var x: Double
    /// The distance from the top edge, as a fraction of the picture's height.
    public var y: Double

    /// Makes a point from its fractions of the picture's width and height.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    package init(_ vector: SIMD2<Double>) { self.init(x: vector.x, y: vector.y) }

    package var vector: SIMD2<Double> { SIMD2(x, y) }
}
