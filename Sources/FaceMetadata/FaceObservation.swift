/// What the models say about one face in one frame, before it has an identity.
///
/// Left and right are the picture's. Lengths without a unit are shares of the distance between the outer eye corners,
/// measured in the face's own frame, so they do not change with the face's size or roll.
public struct FaceObservation: Hashable, Sendable {
    /// Constant as long as the landmarks were followed from frame to frame without a new detection.
    public var lineage: Int

    /// Forehead to chin, and the width of the face.
    public var bounds: NormalizedRect

    /// Where the head points.
    public var pose: HeadPose

    /// How sure the landmark model is that this is a face, 0…1.
    public var confidence: Double

    /// The centre of the eye at the picture's left.
    public var leftEye: NormalizedPoint

    /// The centre of the eye at the picture's right.
    public var rightEye: NormalizedPoint

    /// The centre of the mouth.
    public var mouth: NormalizedPoint

    /// The eye aspect ratio (height over width) of the eye at the picture's left: about 0.3 open, 0.05 closed.
    public var leftEyeOpenness: Double

    /// The eye aspect ratio of the eye at the picture's right.
    public var rightEyeOpenness: Double

    /// The distance between the mouth's corners: about 0.55 at rest, 0.70 in a smile.
    public var mouthWidth: Double

    /// How far the mouth's corners lie above the middle of the inner lips: about −0.01 at rest, 0.05 in a smile.
    public var mouthCornerLift: Double

    /// The distance between the outer eye corners in pixels of the frame; says how much the rest can be trusted.
    public var eyeDistance: Double

    /// Makes an observation from what the models measured.
    public init(
        lineage: Int,
        bounds: NormalizedRect,
        pose: HeadPose,
        confidence: Double,
        leftEye: NormalizedPoint,
        rightEye: NormalizedPoint,
        mouth: NormalizedPoint,
        leftEyeOpenness: Double,
        rightEyeOpenness: Double,
        mouthWidth: Double,
        mouthCornerLift: Double,
        eyeDistance: Double
    ) {
        self.lineage = lineage
        self.bounds = bounds
        self.pose = pose
        self.confidence = confidence
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.mouth = mouth
        self.leftEyeOpenness = leftEyeOpenness
        self.rightEyeOpenness = rightEyeOpenness
        self.mouthWidth = mouthWidth
        self.mouthCornerLift = mouthCornerLift
        self.eyeDistance = eyeDistance
    }
}
