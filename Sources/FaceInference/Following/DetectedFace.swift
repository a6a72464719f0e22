/// A face that only the detector follows, because the landmark model cannot measure it: turned, covered, small or dark.
struct DetectedFace {
    let lineage: Int
    /// The last detection of the face, in pixels of an upright picture of size `size`.
    private(set) var detection: FaceDetection
    /// The size of the last frame's upright picture, in pixels.
    private(set) var size: FrameSize
    /// The check that the face looks the same from one detection to the next.
    var continuity = FaceContinuity()
    /// The mean brightness of the face, 0…1.
    private(set) var luminance: Double
    private var detectedAt: Double
    private var askedAt: Double
    /// The detection of the face when the landmark model last tried to find landmarks on it.
    private var asked: FaceDetection
    /// The current interval between detections, in seconds.
    private var pause = 0.0

    /// The maximum interval between detections, in seconds. It is shortened so that a face moves by at most
    /// `mostMotion` of its size in between.
    private static let longestPause = 0.2
    private static let mostMotion: Float = 0.1
    /// The tolerance for rounded timestamps, in seconds.
    private static let slack = 0.005
    /// The seconds until landmarks are tried again, unless the size grows by the factor `growth` or `turnedShare`
    /// changes by `turn` before.
    private static let patience = 1.0
    private static let growth: Float = 1.25
    private static let turn: Float = 0.12

    private let foundAt: Double

    init(_ detection: FaceDetection, lineage: Int, luminance: Double, in frame: Frame) {
        self.lineage = lineage
        self.detection = detection
        size = frame.uprightSize
        self.luminance = luminance
        foundAt = frame.stamp.mediaTime
        detectedAt = foundAt
        askedAt = foundAt
        asked = detection
    }

    func isNew(at time: Double) -> Bool { time - foundAt < FollowedFace.newness }

    /// The region in which the landmark model would look for the face.
    var region: CropRegion { CropRegion(around: detection) }

    /// How long the frame's longer side must be, in pixels, so that a close-up of this face loses no detail.
    var neededSide: Float { FaceFinder.closerFacePixels * size.vector.max() / detection.side }

    var observation: FaceObservation {
        var observation = detection.observation(in: size)
        observation.lineage = lineage
        return observation
    }

    /// Converts the face to a picture of another size: a JPEG may be decoded at a different scale in each frame.
    mutating func enter(_ size: FrameSize) {
        guard size != self.size else { return }
        let factor = Float(size.width) / Float(self.size.width)
        detection = detection.scaled(by: factor)
        asked = asked.scaled(by: factor)
        self.size = size
    }

    /// Whether the detector must run on the face in a frame of this media time, in seconds.
    func isDue(at time: Double) -> Bool {
        let passed = time - detectedAt
        return passed < 0 || passed >= pause - Self.slack
    }

    mutating func update(_ found: FaceDetection, luminance: Double, at time: Double) {
        let passed = Float(max(time - detectedAt, 0.001))
        let speed = (found.center - detection.center).magnitude.max() / detection.side / passed
        // The interval shrinks at once when a face begins to move, and grows step by step when the face stops.
        pause = min(Self.longestPause, Double(Self.mostMotion / max(speed, 0.01)), 2 * pause + 0.04)
        detection = found
        self.luminance = luminance
        detectedAt = time
    }

    /// Whether to try the landmark model on the face at this media time, in seconds. If so, notes the attempt.
    mutating func asksForMesh(at time: Double) -> Bool {
        let isDue =
            !(0..<Self.patience).contains(time - askedAt) || detection.side / asked.side > Self.growth
            || (detection.turnedShare - asked.turnedShare).magnitude > Self.turn
        guard isDue, detectedAt == time else { return false }
        askedAt = time
        asked = detection
        return true
    }
}
