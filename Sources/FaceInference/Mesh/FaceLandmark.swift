/// One landmark of a face. Its coordinates are fractions of the upright picture, like those of a face's bounds.
public struct FaceLandmark: Hashable, Sendable {
    /// The distance from the left edge as a fraction of the upright picture's width.
    public var x: Double
    /// The distance from the top edge as a fraction of the upright picture's height.
    public var y: Double
    /// The depth as a fraction of the upright picture's width. Smaller is nearer, and 0 is about the head's centre.
    public var z: Double

    /// Makes a landmark from its coordinates.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}
