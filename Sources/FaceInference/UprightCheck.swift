import FaceMetadata
package import Frames

/// Finds out how a picture must be turned for its faces to be upright.
///
/// A face's pose does not show it: the landmark model lays an upright face over one that is upside down, and is sure of it. The
/// detectors' score can: of 151 portraits, 150 had one that was higher by `margin` when upright than when upside down, and
/// none a lower one.
package final class UprightCheck {
    /// How much higher the score in another orientation must be, and how high it must be at all.
    private static let margin: Float = 0.05, surely: Float = 0.75

    private let finder: FaceFinder

    /// Loads the detectors.
    ///
    /// - Parameter modelDirectory: where the models are; nil searches for them.
    /// - Throws: `InferenceError` if they cannot be used.
    package init(modelDirectory: String? = nil) throws(InferenceError) {
        finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find(modelDirectory)))
    }

    /// How a picture that is stored upright must be turned instead; nil if it need not, or if no face is sure enough.
    package func betterOrientation(of frame: Frame) throws(InferenceError) -> Orientation? {
        let asItIs = try score(of: frame, .up)
        var best: (orientation: Orientation, score: Float)?
        for orientation in [Orientation.down, .right, .left] {
            let score = try score(of: frame, orientation)
            if score > best?.score ?? 0 { best = (orientation, score) }
        }
        guard let best, best.score >= Self.surely, best.score > asItIs + Self.margin else { return nil }
        return best.orientation
    }

    /// The score of the surest face.
    private func score(of frame: Frame, _ orientation: Orientation) throws(InferenceError) -> Float {
        var frame = frame
        frame.orientation = orientation
        var best: Float = 0
        for detector in [finder.shortRange, try finder.fullRangeDetector()] {
            best = max(best, try detector.detect(in: frame, rect: .wholePicture).map(\.score).max() ?? 0)
        }
        return best
    }
}
