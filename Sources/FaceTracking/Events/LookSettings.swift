/// The settings that define what counts as a look.
public struct LookSettings: Hashable, Sendable {
    /// The opening angle, from edge to edge in degrees, of the cone around `direction` in which the gaze must be.
    public var cone = 20.0
    /// How long a face must look at the target before its `look` event, in seconds.
    public var hold = 0.4
    /// How long the face must look elsewhere before its `look_away` event, in seconds.
    public var release = 0.7
    /// The maximum distance of faces that count, in metres; nil for any distance. If there is a maximum, faces at an
    /// unknown distance do not count.
    public var near: Double?
    /// The direction from the face to the target of the look; yaw 0 and pitch 0 is the camera.
    public var direction = Gaze(yaw: 0, pitch: 0)

    /// Makes the default settings.
    public init() {}
}
