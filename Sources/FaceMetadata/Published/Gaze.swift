/// The direction in which a face looks, in degrees from the direction to the camera: 0 and 0 is into the lens.
///
/// It is off by some degrees, because eyes differ and glasses refract: enough to tell whether a person looks at a
/// thing, not which word they read.
public struct Gaze: Hashable, Sendable {
    /// The angle to the side: positive is towards the picture's right.
    public var yaw: Double
    /// The angle upwards.
    public var pitch: Double

    /// Makes a direction from its angles in degrees.
    public init(yaw: Double, pitch: Double) { (self.yaw, self.pitch) = (yaw, pitch) }

    /// The angle to another direction, in degrees; exact only near the camera's direction, where it is needed.
    public func angle(to other: Gaze) -> Double {
        let across = yaw - other.yaw
        let up = pitch - other.pitch
        return (across * across + up * up).squareRoot()
    }
}
