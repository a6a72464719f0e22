package import FaceMessages
package import FaceTracking

extension SmileCalibration {
    /// What a person is asked to do, and for how many seconds.
    package static let steps: [(words: String, part: Part, seconds: Double)] = [
        ("look neutral", .neutral, 3), ("smile as you would for the lamp", .smile(1), 3), ("relax", .pause, 2),
        ("smile again", .smile(2), 3), ("relax", .pause, 2), ("smile once more", .smile(3), 3), ("relax", .pause, 2),
        ("talk for ten seconds", .talk, 10),
    ]
    /// The levels at which a smile begins and ends by default.
    package static let limits = [SmileSettings().level, SmileSettings().endLevel]

    /// What is found after the last step; throws what the person did wrong.
    package func result() throws(CommandFailure) -> Outcome {
        if let outcome = outcome() { return outcome }
        throw CommandFailure(
            hasSmiled
                ? "most of your smiles look like your talk: smile more broadly, with light from the front, and try again"
                : "no smile was seen beyond your neutral face: smile when you are asked to, only then, and try again"
        )
    }

    /// How often a smile would have been reported with what was found, and with the default.
    package func words(on outcome: Outcome) -> String {
        let words = [outcome, self.outcome(with: SmileSettings())].map {
            "\($0.found) of your 3 smiles, and \($0.falseOnes.counted("smile")) while you were neutral or talked"
        }
        return "this reports \(words[0]); the default \(words[1])"
    }
}

extension SmileSettings {
    /// Its keys and values, as settings files have them.
    package var fields: KeyValuePairs<String, String> {
        ["level": "\(level)", "hold": "\(Int(hold * 1000))ms"]
    }
}
