/// One face as published for one moment. Optional properties are nil while they are unknown. Left and right are as seen
/// in the picture, not the person's own.
public struct FaceObject: Hashable, Sendable {
    /// The identity, constant from the face's `enter` event to its `leave` event.
    public var faceID: FaceID
    /// The bounding box of the face from forehead to chin.
    public var bounds: NormalizedRect
    /// The direction in which the head points.
    public var pose: HeadPose?
    /// The model's confidence that this is a face, 0…1; 0 if `isHeld`, or if the face is unseen since a scene cut.
    public var confidence: Double
    /// The centre of the eye on the left as seen in the picture.
    public var leftEye: NormalizedPoint?
    /// The centre of the eye on the right as seen in the picture.
    public var rightEye: NormalizedPoint?
    /// The centre of the mouth.
    public var mouth: NormalizedPoint?
    /// Whether the face smiles.
    public var smiling: Bool?
    /// The strength of the smile, 0…1. `smiling` becomes true at a higher strength than that at which it becomes false.
    public var smile: Double?
    /// Whether the eye on the left-hand side of the picture is closed.
    public var leftEyeClosed: Bool?
    /// Whether the eye on the right-hand side of the picture is closed.
    public var rightEyeClosed: Bool?
    /// The openness of the eye on the left as seen in the picture, 0…1; 1 is as far open as this eye usually is.
    public var leftEyeOpen: Double?
    /// The openness of the eye on the right as seen in the picture, 0…1; 1 is as far open as this eye usually is.
    public var rightEyeOpen: Double?
    /// The value of `MouthShape.opening` at which `mouthOpen` is 1. The widest yawn measured had 0.61.
    package static let widestMouth = 0.6

    /// The openness of the mouth, 0…1; 1 is a wide yawn, and speech reaches about half of that.
    public var mouthOpen: Double?
    /// Whether the lips move as in speech. Sound is not used, so chewing counts too.
    public var talking: Bool?
    /// The blinks per minute, computed from the parts of the last minute in which the eyes could be judged.
    public var blinksPerMinute: Double?
    /// The fraction, 0…1, of the last minute with both eyes closed (blinks too), ignoring times when they were unseen.
    public var eyesClosedShare: Double?
    /// Whether the face looks at the camera, or in the direction of `LookSettings`; true from `look` to `look_away`.
    public var looking: Bool?
    /// The direction in which the face looks.
    public var gaze: Gaze?
    /// The distance from the camera to the eyes in metres, accurate to 20 % if the camera's field of view is known.
    public var distance: Double?
    /// The names of the zones that the face is in, from `zone_enter` to `zone_leave`; nil if there are no zones.
    public var zones: [String]?
    /// Whether the landmark model measured the face. If not, for example because it is turned away, covered or dark,
    /// its expression, openness of the eyes and gaze are unknown.
    public var hasMesh = true
    /// Whether the face seems to be only a picture: nothing in it moved for `FaceTracker.Options.stillAfter` seconds.
    public var still = false
    /// The number of analysed frames in which the face was seen since its enter.
    public var trackedFrames = 0
    /// Whether the face was seen in this very frame. If not, it keeps its last values for a moment or is held.
    public var isSeen = true
    /// Whether the face is held: it is unseen, but its place still shows the person. Only its last bounds are known.
    public var isHeld: Bool { !isSeen && pose == nil }
    /// The totals since the face's enter. Nil before the enter; of the messages, only `leave` contains them.
    public var visit: Visit?
    /// The points of the face mesh, for drawing. They are not published, and are empty in a face from a message.
    package var mesh: [NormalizedPoint] = []

    /// Makes a face with these values. All other values are unknown.
    public init(faceID: FaceID, bounds: NormalizedRect, pose: HeadPose? = nil, confidence: Double) {
        (self.faceID, self.bounds, self.pose, self.confidence) = (faceID, bounds, pose, confidence)
    }

    /// A face property that is published only if the camera's owner selects it. The raw value is the property's name.
    public enum OptionalField: String, Hashable, Sendable, CaseIterable {
        case looking, zones, gaze, distance, leftEyeOpen, rightEyeOpen, mouthOpen, talking, blinksPerMinute,
            eyesClosedShare, still
    }

    /// Returns a copy of the face without the optional fields that are not in `fields`.
    public func keeping(_ fields: Set<OptionalField>) -> FaceObject {
        var face = self
        for field in OptionalField.allCases where !fields.contains(field) {
            switch field {
            case .looking: face.looking = nil
            case .zones: face.zones = nil
            case .gaze: face.gaze = nil
            case .distance: face.distance = nil
            case .leftEyeOpen: face.leftEyeOpen = nil
            case .rightEyeOpen: face.rightEyeOpen = nil
            case .mouthOpen: face.mouthOpen = nil
            case .talking: face.talking = nil
            case .blinksPerMinute: face.blinksPerMinute = nil
            case .eyesClosedShare: face.eyesClosedShare = nil
            case .still: face.still = false
            }
        }
        return face
    }
}
