package import FaceMessages
package import FaceTracking
import Glibc

/// Leads a person through a calibration of smiles, and takes what is seen meanwhile.
package struct SmileMeasurement: PersonMeasurement {
    package typealias Value = SmileCalibration.Outcome
    private typealias Step = (words: String, part: SmileCalibration.Part, seconds: Double)
    private static let steps: [Step] = [
        ("look neutral", .neutral, 3), ("smile as you would for the lamp", .smile(1), 3), ("relax", .pause, 2),
        ("smile again", .smile(2), 3), ("relax", .pause, 2), ("smile once more", .smile(3), 3), ("relax", .pause, 2),
        ("talk for ten seconds", .talk, 10),
    ]
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var calibration = SmileCalibration()
    private var began: Double?
    private var last = 0.0
    private var level: Double?
    /// What the person was asked to do last.
    private(set) var asked = ""
    /// For how many seconds there was more than one face, or after the beginning none to measure.
    private var secondsWrong = 0.0
    package private(set) var failure: String?
    package var deadline: Double { began == nil ? Self.patience : .infinity }

    package init() {}

    /// The first face whose smile is known begins the measurement.
    package mutating func take(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Value? {
        if isTerminal, began != nil { StandardOutput.progress("") }
        let elapsed = time - last
        last = time
        let seen = faces.filter(\.isSeen)
        if !seen.isEmpty { failure = "the smile is not known: come nearer, face the camera, and try again" }
        if began != nil { failure = "the pictures ended before everything was asked: try again" }
        level = seen.count == 1 ? seen[0].smile : nil
        if began == nil, level != nil { (began, secondsWrong) = (time, 0) }
        if seen.count > 1 || began != nil && level == nil { secondsWrong += elapsed }
        guard secondsWrong <= 2 else {
            throw CommandFailure(
                seen.count > 1
                    ? "more than one face is there: sit before the camera alone, and try again"
                    : "the face was away for too long: stay near and facing the camera, and try again"
            )
        }
        guard began != nil else { return nil }
        guard let step else {
            if let outcome = calibration.outcome() { return outcome }
            throw CommandFailure(
                calibration.hasSmiled
                    ? "your talk looks like your smiles: smile more broadly, with light from the front, and try again"
                    : "no smile was seen: smile when you are asked to, and try again"
            )
        }
        if level != nil { calibration.take(seen[0], at: time, in: step.part) }
        if isTerminal { StandardOutput.progress("\(bar)  \(step.words)") }
        if !isTerminal, step.words != asked { StandardOutput.note(step.words) }
        asked = step.words
        return nil
    }

    /// What the person is to do now; nil if nothing is left.
    private var step: Step? {
        var rest = last - (began ?? last)
        return Self.steps.first { step in
            rest -= step.seconds
            return rest < 0
        }
    }

    /// The level now, 0…1, and in it where a smile begins and ends by default.
    var bar: String {
        let (limits, filled) = ([SmileSettings().level, SmileSettings().endLevel], Int((level ?? 0) * 40))
        return String((0..<40).map { limits.map { Int($0 * 40) }.contains($0) ? "|" : $0 < filled ? "#" : "." })
    }

    /// How often a smile would have been reported with what was found, and with the default.
    package func words(on outcome: SmileCalibration.Outcome) -> String {
        let words = [outcome, calibration.outcome(with: SmileSettings())].map {
            "\($0.found) of your 3 smiles, and \($0.falseOnes.counted("smile")) while you were neutral or talked"
        }
        return "this reports \(words[0]); the default \(words[1])"
    }
}
