import Glibc

/// What the person does when: everything follows from the frame number.
struct Script {
    static let framesPerSecond = 30
    static let frames = 324
    /// Five seconds of them: the way in, and the smile with the blinks.
    static let shortFrames = Array(16..<54) + Array(154..<266)

    /// The first frame in which the person begins to come in, and the one in which it has arrived.
    private static let entering = 12...48
    private static let tilting = 78...138
    private static let tiltRoll = 15.0
    private static let smiling = 156...216
    private static let smileRamp = 8
    /// The first frames of the blinks.
    private static let blinkStarts = [231, 255]
    /// How far the eyes are closed from a blink's first frame on: a fifth of a second, three frames of it shut.
    private static let blinkClosing: [Float] = [0.45, 1, 1, 1, 0.6, 0.25]
    private static let leaving = 276...294

    /// How the person is to be shown.
    struct Pose: Equatable {
        /// How far right of its place, as a share of the way out of the picture; −1 is out at the left, 1 at the right.
        var place: Double
        /// Degrees clockwise as the viewer sees it.
        var roll: Double
        var expression: Actor.Expression
    }

    static func pose(at frame: Int) -> Pose {
        let place = Self.share(of: entering, at: frame) - 1 + Self.share(of: leaving, at: frame)
        // A person is never quite still.
        let sway = sin(Double(frame) * 2 * .pi / 130)
        return Pose(
            place: place + 0.004 * sway,
            roll: tiltRoll * plateau(tilting, ramp: 16, at: frame) + 0.5 * sin(Double(frame) * 2 * .pi / 97),
            expression: .init(smile: Float(plateau(smiling, ramp: smileRamp, at: frame)), closing: closing(at: frame))
        )
    }

    private static func closing(at frame: Int) -> Float {
        for start in blinkStarts where blinkClosing.indices.contains(frame - start) {
            return blinkClosing[frame - start]
        }
        return 0
    }

    /// 0 before the range, 1 after it.
    private static func share(of range: ClosedRange<Int>, at frame: Int) -> Double {
        smooth(Double(frame - range.lowerBound) / Double(range.count - 1))
    }

    /// 0 outside the range, 1 in it, with smooth ramps at both ends inside it.
    private static func plateau(_ range: ClosedRange<Int>, ramp: Int, at frame: Int) -> Double {
        min(
            smooth(Double(frame - range.lowerBound) / Double(ramp)),
            smooth(Double(range.upperBound - frame) / Double(ramp))
        )
    }

    /// The timeline that is written beside the clip.
    static var timeline: Timeline {
        Timeline(
            fps: framesPerSecond,
            frames: frames,
            enter: .init(
                first(in: entering.lowerBound...entering.upperBound) { pose(at: $0).place > -Stage.shareInside }
            ),
            tilt: .init(
                start: .init(tilting.lowerBound),
                peak: .init((tilting.lowerBound + tilting.upperBound) / 2),
                end: .init(tilting.upperBound),
                roll: tiltRoll
            ),
            // From half the smile up to half the smile down.
            smiles: [
                .init(start: .init(smiling.lowerBound + smileRamp / 2), end: .init(smiling.upperBound - smileRamp / 2))
            ],
            blinks: blinkStarts.map { .init(first: .init($0), last: .init($0 + blinkClosing.count - 1)) },
            leave: .init(first(in: leaving.lowerBound...leaving.upperBound) { pose(at: $0).place > Stage.shareInside })
        )
    }

    private static func first(in range: ClosedRange<Int>, where condition: (Int) -> Bool) -> Int {
        range.first(where: condition) ?? range.upperBound
    }
}

/// What happens when in the clip, as it is written beside it.
struct Timeline: Encodable {
    /// A frame and its media time.
    struct Moment: Encodable {
        var frame: Int
        /// Seconds from the clip's first frame.
        var time: Double

        init(_ frame: Int) {
            self.frame = frame
            time = (Double(frame) / Double(Script.framesPerSecond) * 1000).rounded() / 1000
        }
    }

    /// A turn of the head by `roll` degrees and back.
    struct Tilt: Encodable {
        var start: Moment
        var peak: Moment
        var end: Moment
        var roll: Double
    }

    /// A smile: from the frame where the mouth is half way to it to the one where it is half way back.
    struct Smile: Encodable {
        var start: Moment
        var end: Moment
    }

    /// The first and the last frame in which the eyes are not fully open.
    struct Blink: Encodable {
        var first: Moment
        var last: Moment
    }

    var fps: Int
    var frames: Int
    /// The whole face is in the picture from here on.
    var enter: Moment
    var tilt: Tilt
    var smiles: [Smile]
    var blinks: [Blink]
    /// The face begins to go out of the picture here.
    var leave: Moment
}
