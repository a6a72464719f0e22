package import FaceMetadata
package import Frames

/// Asks the detectors about single pictures. From one thread at a time.
package final class FaceCheck {
    /// How much higher the score in another orientation must be, and how high it must be at all.
    private static let margin: Float = 0.05, surely: Float = 0.75

    private let finder: FaceFinder

    /// - Throws: An error that names the file if a model is missing, damaged or of another version.
    package init() throws(InferenceError) { finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find())) }

    /// Where faces are, or may be, in a picture that must not show one: as shares of it, upright, from the forehead to the chin.
    ///
    /// Both detectors look at the whole picture and at one that reaches beyond its edges, the full-range one also at squares that
    /// overlap, in which it sees nearly all faces of a twentieth of the width: at 640×480, 31 runs of a model.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        let size = frame.uprightSize
        let side = Float(SearchFocus.side) * size.vector.min()
        let found = try finder.findEverything(in: frame, rect: .whole, previewSide: side)
        let picture = SIMD2<Double>(size.vector)
        return found.map { face in
            // The detectors' boxes are square, and end at the brows.
            let extent = SIMD2(1.2, 1.4) * SIMD2<Double>(face.size)
            let middle = SIMD2<Double>(face.center) - SIMD2(0, 0.05) * extent
            return NormalizedRect(center: middle / picture, size: extent / picture)
        }
    }

    /// How a picture that is stored upright must be turned for its faces to be upright; nil if it need not, or if none is sure.
    ///
    /// A face's pose does not show it: the landmark model lays an upright face over one that is upside down. Of 151 portraits, 150 scored
    /// higher by `margin` when upright than when upside down, and none lower.
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
        var best: Float = 0
        for detector in [finder.shortRange, try finder.fullRange.get()] {
            best = max(best, try detector.detect(in: frame, rect: .whole).map(\.score).max() ?? 0)
        }
        return best
    }
}
