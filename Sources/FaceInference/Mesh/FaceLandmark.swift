/// One landmark, in the unit of a face's bounds.
public struct FaceLandmark: Hashable, Sendable {
    /// Share of the upright picture's width, from the left edge.
    public var x: Double
    /// Share of the upright picture's height, from the top edge.
    public var y: Double
    /// Depth as a share of the upright picture's width: smaller is nearer, 0 about the head's centre.
    public var z: Double

    /// Makes a landmark from its coordinates.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}
