package import FaceMetadata
package import Frames

/// Looks for faces in single live pictures, doubtful ones included: for pictures that must not show a face.
///
/// Both detectors look at the whole picture, the full-range one also at squares that overlap, in which it sees nearly all
/// faces of a twentieth of the width: at 640×480, eight runs of a model. From one thread at a time.
package final class FaceCheck {
    private let finder: FaceFinder

    /// Loads and compiles the detectors.
    ///
    /// - Parameter modelDirectory: the directory of the LiteRT library and the models; nil searches
    ///   `ModelDirectory.searchPath`.
    /// - Throws: An error that names the file if one is missing, damaged or of another version.
    package init(modelDirectory: String? = nil) throws(InferenceError) {
        finder = try FaceFinder(LiteRT.shared(in: ModelDirectory.find(modelDirectory)))
    }

    /// Where faces are, or may be, in a picture: as shares of it, upright, from the forehead to the chin.
    ///
    /// - Throws: `InferenceError` if a model fails or the pixels cannot be read.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        let size = frame.uprightSize
        let side = Float(SearchFocus.side) * Float(min(size.width, size.height))
        let found = try finder.findEverything(in: frame, rect: .wholePicture, sides: [side], withDoubtful: true)
        // The detectors' boxes are square, and end at the brows.
        let (width, height) = (Double(size.width), Double(size.height))
        return found.map { face in
            let (faceWidth, faceHeight) = (1.2 * Double(face.size.x), 1.4 * Double(face.size.y))
            return NormalizedRect(
                x: (Double(face.center.x) - faceWidth / 2) / width,
                y: (Double(face.center.y) - 0.55 * faceHeight) / height,
                width: faceWidth / width,
                height: faceHeight / height
            )
        }
    }
}
