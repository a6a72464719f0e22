package import FaceMessages
package import FaceTracking

/// No setting depends on the person: it is the sign that is chosen.
extension SignCalibration: CalibrationScript {
    private static let signs: KeyValuePairs<FaceEvent.Sign, String> = [
        .doubleBlink: "blink twice, quickly", .longBlink: "close both eyes for a second",
    ]
    private static let times = 1...3
    package static let steps: [Step] =
        [("look as usual", .usual, 8)]
        + signs.flatMap { sign, words in
            times.flatMap { [(words, .sign(sign, $0), 3), ("look at the camera", .pause, 2)] as [Step] }
        }
    package static let subject = "eyes"
    package static func level(of face: FaceObject) -> Double? { openness(of: face).map { min($0.left, $0.right) } }

    /// What was recognised: a line for each sign, and one for what was not meant.
    package func result() throws(CommandFailure) -> [String] {
        let found = Self.signs.map { sign, _ in
            let parts = Self.times.map { seen(in: .sign(sign, $0)) }
            let closed = parts.map { $0.closures.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: " + ") }
            let times = closed.map { $0.isEmpty ? "not" : "\($0) s" }.joined(separator: ", ")
            let count = parts.count { $0.signs.contains(sign) }
            let words = "\(sign.rawValue): \(count) of \(parts.count) recognised; eyes closed: \(times)"
            return (hasClosed: !closed.joined().isEmpty, words: "\(words) (\(Self.words(on: sign)))")
        }
        guard found.contains(where: \.hasClosed) else {
            throw CommandFailure("no blink was seen: come nearer, with light from the front, and try again")
        }
        return found.map(\.words) + ["while you looked as usual: \(seen(in: .usual).signs.count.counted("sign"))"]
    }
}
