/// Runs the face detector on single pictures. Used from one thread at a time.
package final class FaceCheck {
    /// How much higher a turned picture must score than the unturned one. It must also score at least `surely`.
    private static let margin: Float = 0.04
    private static let surely: Float = 0.6
    /// The lengths, in pixels of the detector's input, to which the picture's longer side is scaled for the scores.
    private static let scales = [640, 320, 160]

    private let finder: FaceFinder

    /// Loads the detector. Throws an error that names the file if one is missing, damaged or of another version.
    package init() throws(InferenceError) { finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find())) }

    /// Returns the bounds, forehead to chin, of possible faces in a picture in which all faces should be hidden. They
    /// are fractions of the upright picture.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        try finder.findNext(in: frame).map { $0.face(in: frame.uprightSize).bounds }
    }

    /// Whether a face is confirmed in the picture turned by 90°, 180° or 270° and scores higher there than unturned.
    package func hasTurnedFace(in frame: Frame) throws(InferenceError) -> Bool {
        var turned: [FaceDetection] = []
        for quarter in 1...3 {
            let rotation = Float(quarter) * .pi / 2
            for candidate in try finder.findNext(in: frame, rotation: rotation) {
                if try finder.confirm(candidate, in: frame, rotation: rotation) != nil { turned.append(candidate) }
            }
        }
        // Most pictures have no turned face, and need no search unturned.
        guard !turned.isEmpty else { return false }
        let upright = try finder.findNext(in: frame)
        return turned.contains { face in !upright.contains { $0.score >= face.score && $0.overlaps(face) } }
    }

    /// Returns the orientation in which a frame's faces score clearly higher than without a turn; nil if there is none.
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

    /// Returns the best score, averaged over `scales`. At one scale, an upside-down face may score as high as upright.
    private func score(of frame: Frame, _ orientation: Orientation) throws(InferenceError) -> Float {
        var frame = frame
        frame.orientation = orientation
        var sum: Float = 0
        for pixels in Self.scales { sum += try finder.find(in: frame, pixels: pixels).first?.score ?? 0 }
        return sum / Float(Self.scales.count)
    }
}
