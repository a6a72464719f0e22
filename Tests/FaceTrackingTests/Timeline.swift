import FaceMetadata

@testable import FaceTracking

/// Plays a line of characters as frames: what is seen goes in, what happened comes out, both as text.
///
/// `-` is a frame without a face, `x` one that could not be looked at; every other character is a face, and what else
/// it means says the test.
struct Timeline {
    var tracker = FaceTracker()
    private(set) var updates: [FaceTracker.Update] = []
    let rate: Double
    private var frame = 0

    init(rate: Double = 30, options: FaceTracker.Options = .init(), nextFaceID: Int = 1) {
        self.rate = rate
        tracker = FaceTracker(options: options, nextFaceID: FaceID(rawValue: nextFaceID))
    }

    static func stamp(_ frame: Int, rate: Double = 30) -> FrameStamp {
        let seconds = Double(frame) / rate
        return FrameStamp(frame: frame, time: Timestamp(nanoseconds: Int64(seconds * 1e9)), mediaTime: seconds)
    }

    /// Lets frames pass that never reach the tracker.
    mutating func lose(frames: Int) { frame += frames }

    /// Plays the line and returns a character a frame: `E`nter, `L`eave, `S`mile, the `e`nd of one, `B`link, `W`ink,
    /// `C`losed, `O`pen again, wide open `M`outh, loo`K`, `a`way, into a `Z`one, out of a `z`one, si`G`n, `.` nothing.
    mutating func play(_ line: String, _ face: (Character) -> FaceObservation = { _ in .sample() }) -> String {
        var result = ""
        for character in line {
            let stamp = Self.stamp(frame, rate: rate)
            let update =
                switch character {
                case "-": tracker.advance(to: stamp, with: [])
                case "x": tracker.skip(to: stamp)
                default: tracker.advance(to: stamp, with: [face(character)])
                }
            updates.append(update)
            frame += 1
            result += update.events.isEmpty ? "." : update.events.map(\.letter).joined()
        }
        return result
    }
}

extension FaceEvent {
    fileprivate var letter: String {
        switch kind {
        case .enter: "E"
        case .leave: "L"
        case .smile: "S"
        case .smileEnd: "e"
        case .blink(let eyes, _): eyes == .both ? "B" : "W"
        case .eyesClosed: "C"
        case .eyesOpen: "O"
        case .mouthOpen: "M"
        case .look: "K"
        case .lookAway: "a"
        case .zoneEnter: "Z"
        case .zoneLeave: "z"
        case .sign: "G"
        }
    }
}

extension FaceObservation {
    /// The lids' height of an open eye of the sample.
    static let openLids = 0.06

    /// A resting, frontal, large face at a place of the picture.
    static func sample(
        lineage: Int = 1,
        x: Double = 0.4,
        y: Double = 0.3,
        size: Double = 0.2,
        eyes: (left: Double, right: Double) = (openLids, openLids),
        mouth: MouthShape = .level(0),
        yaw: Double = 0,
        gaze: Gaze? = nil,
        irisDiameter: Double? = nil,
        eyeDistance: Double = 80
    ) -> FaceObservation {
        var sample = FaceObservation()
        sample.lineage = lineage
        sample.bounds = NormalizedRect(x: x, y: y, width: size, height: size)
        sample.pose = HeadPose(roll: 0, yaw: yaw, pitch: 0)
        sample.confidence = 0.95
        sample.leftEye = NormalizedPoint(x: x + size * 0.3, y: y + size * 0.4)
        sample.rightEye = NormalizedPoint(x: x + size * 0.7, y: y + size * 0.4)
        sample.mouth = NormalizedPoint(x: x + size * 0.5, y: y + size * 0.8)
        sample.leftLids = Lids(height: eyes.left, width: 0.3 * eyeDistance)
        sample.rightLids = Lids(height: eyes.right, width: 0.3 * eyeDistance)
        sample.mouthShape = mouth
        (sample.gaze, sample.irisDiameter) = (gaze, irisDiameter)
        sample.eyeDistance = eyeDistance
        return sample
    }
}

extension FaceObservation.MouthShape {
    /// A mouth of a smile's level.
    static func level(_ level: Double, opening: Double = 0, cornerDrop: Double = 0) -> Self {
        Self(opening: opening, cornerDrop: cornerDrop, smileLevel: level)
    }
}
