package import FaceMetadata
package import Frames

/// Asks the detector about single pictures. From one thread at a time.
package final class FaceCheck {
    /// How much higher the score in another orientation must be, and how high it must be at all.
    private static let margin: Float = 0.05, surely: Float = 0.75

    private let finder: FaceFinder

    /// - Throws: An error that names the file if a model is missing, damaged or of another version.
    package init() throws(InferenceError) { finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find())) }

    /// Where faces are, or may be, in a picture that must not show one: as shares of it, upright, from the forehead to the chin.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        let size = frame.uprightSize
        return try finder.findNext(in: frame, rect: .whole).map { $0.face(in: size).bounds }
    }

    /// How a picture that is stored upright must be turned for its faces to be upright; nil if it need not, or if none is sure.
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

    /// The score of the surest face.
    private func score(of frame: Frame, _ orientation: Orientation) throws(InferenceError) -> Float {
        var frame = frame
        frame.orientation = orientation
        return try finder.findNext(in: frame, rect: .whole).first?.score ?? 0
    }
}
