package import FaceMetadata

/// Plays what a person does with their eyes when asked to to the detector of signs, and keeps what it recognised.
package struct SignCalibration: Sendable {
    /// What the person was asked to do.
    package enum Part: Hashable, Sendable {
        case usual
        case sign(FaceEvent.Sign, Int)
        /// Anything, after a sign.
        case pause
    }

    /// The signs that were recognised, and for how many seconds both eyes were closed each time.
    package typealias Seen = (signs: [FaceEvent.Sign], closures: [Double])

    /// The mean openness of eyes that count as closed at most.
    package static let limits = [SignDetector.closedShare]
    private var detector = SignDetector()
    private var closedSince: Double?
    private var parts: [Part: Seen] = [:]

    package init() {}
    package func seen(in part: Part) -> Seen { parts[part] ?? ([], []) }

    /// How far the eyes are open, 0…1; of a daemon that does not publish it, only whether they are. Nil if it is unknown.
    package static func openness(of face: FaceObject) -> (left: Double, right: Double)? {
        guard let left = face.leftEyeClosed, let right = face.rightEyeClosed else { return nil }
        return (face.leftEyeOpen ?? (left ? 0 : 1), face.rightEyeOpen ?? (right ? 0 : 1))
    }

    /// Takes what is seen of a face at a time in seconds.
    package mutating func take(_ face: FaceObject, at time: Double, in part: Part) {
        guard let (left, right) = Self.openness(of: face), let pose = face.pose else { return }
        let isClosed = EachEye(face.leftEyeClosed == true, face.rightEyeClosed == true)
        var observation = FaceObservation()
        observation.pose = pose
        observation.mouthShape.opening = (face.mouthOpen ?? 0) * FaceObject.widestMouth
        var stamp = FrameStamp.unset
        stamp.mediaTime = time
        let context = FrameContext(observation: observation, stamp: stamp, frameRate: 30, options: .init())
        var seen = seen(in: part)
        if case .sign(let sign) = detector.advance(eyes: (isClosed, EachEye(left, right)), context) {
            seen.signs.append(sign)
        }
        if isClosed.left, isClosed.right {
            closedSince = closedSince ?? time
        } else if let begin = exchange(&closedSince, with: nil) {
            seen.closures.append(time - begin)
        }
        parts[part] = seen
    }

    /// What counts as a blink on purpose.
    package static func words(on sign: FaceEvent.Sign) -> String {
        sign == .longBlink
            ? "\(SignDetector.longBlink.lowerBound) to \(SignDetector.longBlink.upperBound) s count"
            : "each at most \(SignDetector.shortBlink) s, at most \(SignDetector.longestPause) s apart"
    }
}
