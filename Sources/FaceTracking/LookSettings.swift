public import FaceMetadata

/// What counts as a look.
public struct LookSettings: Hashable, Sendable {
    /// The opening of the cone around `direction` that the gaze must lie in, from edge to edge in degrees.
    public var cone = 20.0
    /// For how many seconds a face must look before its `look`.
    public var hold = 0.4
    /// For how many seconds it must look elsewhere before its `look_away`.
    public var release = 0.7
    /// Only faces nearer than this count, in metres; nil for all. One whose distance is unknown does not count then.
    public var near: Double?
    /// Where the thing stands that is looked at, seen from the face; 0 and 0 is the camera.
    public var direction = Gaze(yaw: 0, pitch: 0)

    /// Makes the default settings.
    public init() {}
}
