/// One landmark, in the unit of a face's bounds.
public struct FaceLandmark: Hashable, Sendable {
    /// The share of the upright picture's width, from the left edge.
    public var x: Double
    /// The share of the upright picture's height, from the top edge.
    public var y: Double
    /// The depth as a share of the upright picture's width: smaller is nearer, 0 about the head's centre.
    public var z: Double

    /// Makes a landmark from its coordinates.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}
