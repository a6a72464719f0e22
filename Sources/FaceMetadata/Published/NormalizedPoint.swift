/// A point in the upright picture: 0…1 from the left and from the top edge.
///
/// Points of a face that is partly outside the picture lie outside 0…1.
public struct NormalizedPoint: Hashable, Sendable {
    /// The share of the picture's width, from the left edge.
    public var x: Double
    /// The share of the picture's height, from the top edge.
    public var y: Double

    /// Makes a point from its shares of the picture's width and height.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    package init(_ vector: SIMD2<Double>) { self.init(x: vector.x, y: vector.y) }

    package var vector: SIMD2<Double> { SIMD2(x, y) }
}
