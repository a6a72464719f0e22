/// Leads a person through the steps of a smile calibration and records the smile levels.
package struct GuidedMeasurement: PersonMeasurement {
    package typealias Value = SmileCalibration.Outcome
    private static let crowd = "more than one face is there: sit before the camera alone, and try again"
    private static let away = "the face was away for too long: stay near, face the camera, and try again"
    private static let bar = 30
    private static let columns = SmileCalibration.steps.map(\.words.count).max() ?? 0
    package private(set) var script = SmileCalibration()
    private var began: Double?
    private var last = 0.0
    private var level: Double?
    package private(set) var prompt: String?
    private var secondsLeft = 0.0
    /// The total time, in seconds, with several faces or, after the measurement has begun, with no measurable face.
    private var secondsWrong = 0.0
    package private(set) var failure: String?
    package var deadline: Double { began == nil ? Self.patience : .infinity }

    package init() {}

    /// Adds the faces seen at `time`, in seconds. Measuring begins with the first face whose smile level is known.
    package mutating func measure(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Value? {
        let elapsed = time - last
        last = time
        let seen = faces.filter(\.isSeen)
        if began != nil {
            failure = "the pictures ended before everything was asked: try again"
        } else if !seen.isEmpty {
            failure = "the smile cannot be seen well enough: come nearer, face the camera, and try again"
            if seen.count > 1 { failure = Self.crowd }
        }
        level = seen.count == 1 ? seen[0].smile : nil
        if began == nil, level != nil {
            began = time
            secondsWrong = 0
        }
        if seen.count > 1 || began != nil && level == nil { secondsWrong += elapsed }
        guard secondsWrong <= 2 else { throw CommandFailure(seen.count > 1 ? Self.crowd : Self.away) }
        guard let began else { return nil }
        var end = 0.0
        for step in SmileCalibration.steps {
            end += step.seconds
            guard time - began < end else { continue }
            if level != nil { script.take(seen[0], at: time, in: step.part) }
            prompt = step.words
            secondsLeft = end - (time - began)
            return nil
        }
        return try script.result()
    }

    package var progress: String {
        "\((prompt ?? "").padding(to: Self.columns))  \(Int(secondsLeft) + 1) s  \(bar)"
    }

    /// A bar of the present smile level, 0…1, with marks at the levels where a smile begins and ends by default.
    var bar: String {
        let marks = SmileCalibration.limits.map { Int($0 * Double(Self.bar)) }
        let filled = Int((level ?? 0) * Double(Self.bar))
        return String((0..<Self.bar).map { marks.contains($0) ? "│" : $0 < filled ? "█" : "░" })
    }
}

extension SmileCalibration {
    /// The steps of the calibration: the instruction to the person, what is measured, and the duration in seconds.
    package static let steps: [(words: String, part: Part, seconds: Double)] = [
        ("look neutral", .neutral, 3), ("smile as you would for the lamp", .smile(1), 3), ("relax", .pause, 2),
        ("smile again", .smile(2), 3), ("relax", .pause, 2), ("smile once more", .smile(3), 3), ("relax", .pause, 2),
        ("talk for ten seconds", .talk, 10),
    ]
    /// The default levels at which a smile begins and ends.
    package static let limits = [SmileSettings().level, SmileSettings().endLevel]

    /// The result after the last step. Throws `CommandFailure` that says what the person did wrong.
    package func result() throws(CommandFailure) -> Outcome {
        if let outcome = outcome() { return outcome }
        throw CommandFailure(
            hasSmiled
                ? "most of your smiles look like your talk: smile more broadly, with light from the front, and try again"
                : "no smile was seen beyond your neutral face: smile when you are asked to, only then, and try again"
        )
    }

    /// How many smiles would have been reported with the new settings and with the default ones, as a sentence.
    package func words(on outcome: Outcome) -> String {
        let words = [outcome, self.outcome(with: SmileSettings())].map {
            "\($0.found) of your 3 smiles, and \($0.falseOnes.counted("smile")) while you were neutral or talked"
        }
        return "this reports \(words[0]); the default \(words[1])"
    }
}

extension SmileSettings {
    /// The keys and values of the calibrated settings, as written in a settings file.
    package var fields: KeyValuePairs<String, String> {
        ["level": "\(level)", "hold": "\(Int(hold * 1000))ms"]
    }
}
