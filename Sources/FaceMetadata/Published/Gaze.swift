/// The direction in which a face looks, as angles in degrees; both angles are 0 if the face looks into the lens. They
/// are off by some degrees, because eyes differ and glasses refract. This is good enough to tell whether a person looks
/// at a thing, but not which word the person reads.
public struct Gaze: Hashable, Sendable {
    /// The horizontal angle in degrees; positive is towards the picture's right.
    public var yaw: Double
    /// The vertical angle in degrees; positive is up.
    public var pitch: Double

    /// Makes a direction from its angles in degrees.
    public init(yaw: Double, pitch: Double) { (self.yaw, self.pitch) = (yaw, pitch) }

    /// Returns the angle to another direction, in degrees. It is exact only near the direction to the camera.
    public func angle(to other: Gaze) -> Double {
        let across = yaw - other.yaw
        let up = pitch - other.pitch
        return (across * across + up * up).squareRoot()
    }
}
