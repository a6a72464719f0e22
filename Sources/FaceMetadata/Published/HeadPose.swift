/// The direction in which a head points, as angles in degrees in (−180, 180].
public struct HeadPose: Hashable, Sendable {
    /// The rotation in the plane of the picture; positive is clockwise as the viewer sees it.
    public var roll: Double
    /// The turn to the side; positive if the nose points to the picture's right, nil if unknown.
    public var yaw: Double?
    /// The tilt up or down; positive is up, nil if unknown, as for a face without a mesh.
    public var pitch: Double?

    /// Makes a pose from its angles in degrees; by default it is straight ahead.
    public init(roll: Double = 0, yaw: Double? = 0, pitch: Double? = 0) {
        (self.roll, self.yaw, self.pitch) = (roll, yaw, pitch)
    }
}
