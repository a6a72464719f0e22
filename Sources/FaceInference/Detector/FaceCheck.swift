/// Runs the detector on single pictures, from one thread at a time.
package final class FaceCheck {
    /// The least score in another orientation, and how much higher than in the present one it must be.
    private static let margin: Float = 0.04
    private static let surely: Float = 0.6
    /// The pixels of the detector's input for the picture's longer side.
    private static let scales = [640, 320, 160]

    private let finder: FaceFinder

    /// - Throws: An error that names the file if a model is missing, damaged or of another version.
    package init() throws(InferenceError) { finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find())) }

    /// The places of possible faces in a picture that must not show any: shares of it, upright, forehead to chin.
    ///
    /// Pictures of at least 512 pixels are not enlarged for the search: a face that is found only then is too small to
    /// be recognised. In smaller ones a face that their edge cuts is found more surely if they are.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        let size = frame.uprightSize
        let most = max(512, size.width, size.height)
        return try finder.findNext(in: frame, most: most).map { $0.face(in: size).bounds }
    }

    /// Whether the detector is sure of a face on its side or upside down, where it sees none upright as surely.
    package func hasTurnedFace(in frame: Frame) throws(InferenceError) -> Bool {
        let upright = try finder.findNext(in: frame)
        for quarter in 1...3 {
            let rotation = Float(quarter) * .pi / 2
            for candidate in try finder.findNext(in: frame, rotation: rotation)
            where !upright.contains(where: { $0.score >= candidate.score && $0.overlaps(candidate) }) {
                if try finder.confirm(candidate, in: frame, rotation: rotation) != nil { return true }
            }
        }
        return false
    }

    /// The orientation in which the detector is clearly surer of the faces in an upright picture; nil if there is none.
    package func betterOrientation(of frame: Frame) throws(InferenceError) -> Orientation? {
        let asItIs = try score(of: frame, .up)
        let scores = try [Orientation.down, .right, .left].map { orientation throws(InferenceError) in
            (orientation: orientation, score: try score(of: frame, orientation))
        }
        guard let best = scores.max(by: { $0.score < $1.score }), best.score >= Self.surely,
            best.score > asItIs + Self.margin
        else { return nil }
        return best.orientation
    }

    /// The mean score of the surest face at three scales: at a single one, a face upside down scores nearly as much.
    private func score(of frame: Frame, _ orientation: Orientation) throws(InferenceError) -> Float {
        var frame = frame
        frame.orientation = orientation
        var sum: Float = 0
        for pixels in Self.scales { sum += try finder.find(in: frame, pixels: pixels).first?.score ?? 0 }
        return sum / Float(Self.scales.count)
    }
}
