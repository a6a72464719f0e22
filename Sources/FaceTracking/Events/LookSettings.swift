/// The settings of what counts as a look.
public struct LookSettings: Hashable, Sendable {
    /// The opening of the cone around `direction` that the gaze must lie in, from edge to edge in degrees.
    public var cone = 20.0
    /// The seconds that a face must look before its `look`.
    public var hold = 0.4
    /// The seconds that the face must look elsewhere before its `look_away`.
    public var release = 0.7
    /// The metres within which faces count, if their distance is known; nil for any distance.
    public var near: Double?
    /// The direction from the face to the thing that is looked at; 0 and 0 is the camera.
    public var direction = Gaze(yaw: 0, pitch: 0)

    /// Makes the default settings.
    public init() {}
}
