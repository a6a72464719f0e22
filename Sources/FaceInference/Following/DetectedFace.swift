/// A face that only the detector follows, because the landmark model cannot measure it: turned, covered, small or dark.
struct DetectedFace {
    let lineage: Int
    /// The last detection, in pixels of the last picture.
    private(set) var detection: FaceDetection
    /// The size of the last upright picture.
    private(set) var size: FrameSize
    /// The check that successive pictures of the face show the same one, in the frames in which it is detected.
    var continuity = FaceContinuity()
    /// The mean brightness of the face, 0…1.
    private(set) var luminance: Double
    private var detectedAt: Double
    private var askedAt: Double
    /// The detection of the face when the landmark model last ran on it.
    private var asked: FaceDetection
    /// The seconds from one detection to the next at present.
    private var pause = 0.0

    /// The longest pause between two detections, in seconds, and the motion, in sizes of the face, that ends it.
    private static let longestPause = 0.2
    private static let mostMotion: Float = 0.1
    /// Tolerance for rounded times, in seconds.
    private static let slack = 0.005
    /// The time in seconds, the growth and the turn of the face after which the landmark model runs again.
    private static let patience = 1.0
    private static let growth: Float = 1.25
    private static let turn: Float = 0.12

    /// The seconds for which a face counts as new: longer than its enter takes.
    private static let newness = 0.3
    private let foundAt: Double

    init(_ detection: FaceDetection, lineage: Int, luminance: Double, in size: FrameSize, at time: Double) {
        self.lineage = lineage
        self.detection = detection
        self.size = size
        self.luminance = luminance
        detectedAt = time
        askedAt = time
        asked = detection
        foundAt = time
    }

    func isNew(at time: Double) -> Bool { time - foundAt < Self.newness }

    /// The region in which the landmark model would look for the face.
    var region: CropRegion { CropRegion(around: detection) }

    /// The pixels that the longer side of the picture needs for a close-up to lose no detail of this face.
    var neededSide: Float { FaceFinder.closerFacePixels * size.vector.max() / detection.side }

    var observation: FaceObservation {
        var observation = detection.observation(in: size)
        observation.lineage = lineage
        return observation
    }

    /// Converts the face to a picture of another size: a JPEG may be decoded smaller from one frame to the next.
    mutating func enter(_ size: FrameSize) {
        guard size != self.size else { return }
        let factor = Float(size.width) / Float(self.size.width)
        detection = detection.scaled(by: factor)
        asked = asked.scaled(by: factor)
        self.size = size
    }

    /// Whether the detector must look at the face in a frame of that time.
    func isDue(at time: Double) -> Bool {
        let passed = time - detectedAt
        return passed < 0 || passed >= pause - Self.slack
    }

    mutating func update(_ found: FaceDetection, luminance: Double, at time: Double) {
        let passed = Float(max(time - detectedAt, 0.001))
        let speed = (found.center - detection.center).magnitude.max() / detection.side / passed
        // A face that begins to move is looked at more often at once; one that stops, a little less each time.
        pause = min(Self.longestPause, Double(Self.mostMotion / max(speed, 0.01)), 2 * pause + 0.04)
        detection = found
        self.luminance = luminance
        detectedAt = time
    }

    /// Whether the landmark model must run on the face at a time in seconds; if so, notes that it ran.
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
