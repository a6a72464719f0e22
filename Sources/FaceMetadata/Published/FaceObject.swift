/// One face as subscribers see it at one moment; what is unknown is nil, never 0 or false.
///
/// Left and right are the picture's, not the person's.
public struct FaceObject: Hashable, Sendable {
    /// The identity, constant from enter to leave.
    public var faceID: FaceID
    /// The face's rectangle: from forehead to chin, and as wide as the face.
    public var bounds: NormalizedRect
    /// The direction in which the head points.
    public var pose: HeadPose?
    /// Model's certainty that this is a face, 0…1; 0 for one that is held, or was lost as the whole picture changed.
    public var confidence: Double
    /// The centre of the eye at the picture's left.
    public var leftEye: NormalizedPoint?
    /// The centre of the eye at the picture's right.
    public var rightEye: NormalizedPoint?
    /// The centre of the mouth.
    public var mouth: NormalizedPoint?
    /// Whether the face smiles.
    public var smiling: Bool?
    /// The strength of the smile, 0…1; `smiling` starts and ends at two different levels of it.
    public var smile: Double?
    /// Whether the eye at the picture's left is closed.
    public var leftEyeClosed: Bool?
    /// Whether the eye at the picture's right is closed.
    public var rightEyeClosed: Bool?
    /// The opening of the eye at the picture's left, 0…1: 1 is as far open as this eye usually is.
    public var leftEyeOpen: Double?
    /// The opening of the eye at the picture's right, 0…1: 1 is as far open as this eye usually is.
    public var rightEyeOpen: Double?
    /// The lips' distance at which `mouthOpen` is 1, in distances of the outer eye corners; the widest yawn had 0.61.
    package static let widestMouth = 0.6

    /// The opening of the mouth, 0…1: 1 is a wide yawn; speech reaches about half.
    public var mouthOpen: Double?
    /// Whether the lips move as in speech; nothing is heard, so that chewing counts too.
    public var talking: Bool?
    /// The number of blinks in the last minute, per minute in which the eyes could be judged.
    public var blinksPerMinute: Double?
    /// The share of the last minute in which both eyes were closed, 0…1, blinks included.
    public var eyesClosedShare: Double?
    /// Whether the face looks at the camera, or in `LookSettings.direction`: from the event `look` to `look_away`.
    public var looking: Bool?
    /// The direction in which the face looks.
    public var gaze: Gaze?
    /// The metres from the camera to the eyes, accurate to a fifth if the camera's field of view is known.
    public var distance: Double?
    /// The names of the zones that the face is in, from `zone_enter` to `zone_leave`; nil if there are no zones.
    public var zones: [String]?
    /// Whether the landmark model measured the face. If not, as when it is turned away, covered, bent, small or dark,
    /// its expression, eyes and gaze are unknown.
    public var hasMesh = true
    /// Whether the face seems to be a picture of one: nothing in it has moved for `FaceTracker.Options.stillAfter`.
    public var still = false
    /// The number of analysed frames in which the face was seen since its enter.
    public var trackedFrames = 0
    /// Whether the face was seen in this very frame. If not, it is hidden for a moment, with its last values, or held.
    public var isSeen = true
    /// Whether the face is held: its place still shows the person, although it is unseen. Only its place is known.
    public var isHeld: Bool { !isSeen && pose == nil }
    /// What the face has done since its enter; nil before it, and in messages other than a `leave`.
    public var visit: Visit?
    /// The points of the face mesh, for drawing; empty unless this program measured them, for they are not published.
    package var mesh: [NormalizedPoint] = []

    /// Makes a face object in which all other values are unknown.
    public init(faceID: FaceID, bounds: NormalizedRect, pose: HeadPose? = nil, confidence: Double) {
        (self.faceID, self.bounds, self.pose, self.confidence) = (faceID, bounds, pose, confidence)
    }
}
