package import FaceMetadata
package import Frames

/// Looks for faces in single pictures as thoroughly as the detectors can, doubtful ones included: for pictures that must
/// not show a face.
///
/// Both detectors look at the whole picture, the full-range one also at squares that overlap, in which it sees four times
/// as many small faces. A picture of 640×480 takes six runs of a model. From one thread at a time.
package final class FaceCheck {
    /// The squares' side as a share of the picture's shorter side; as `SearchFocus` has it.
    private static let side = 0.75

    private let shortRange: FaceDetector
    private let fullRange: FaceDetector

    /// Loads and compiles the detectors.
    ///
    /// - Parameter modelDirectory: the directory of the LiteRT library and the models; nil searches
    ///   `ModelDirectory.searchPath`.
    /// - Throws: An error that names the file if one is missing, damaged or of another version.
    package init(modelDirectory: String? = nil) throws(InferenceError) {
        let liteRT = try LiteRT.shared(in: ModelDirectory.find(modelDirectory))
        shortRange = try FaceDetector(.shortRange, liteRT.files.shortRangeDetector, in: liteRT)
        fullRange = try FaceDetector(.fullRange, liteRT.files.fullRangeDetector(), in: liteRT)
    }

    /// Where faces are, or may be, in a picture: as shares of it, upright.
    ///
    /// - Throws: `InferenceError` if a model fails or the pixels cannot be read.
    package func faces(in frame: Frame) throws(InferenceError) -> [NormalizedRect] {
        var found = try shortRange.detect(in: frame, rect: .wholePicture)
        for part in [.wholePicture] + Self.squares(in: frame.uprightSize) {
            found += try fullRange.detect(in: frame, rect: part)
        }
        let size = frame.uprightSize
        let (width, height) = (Double(size.width), Double(size.height))
        return FaceDetection.merging(found).map { face in
            NormalizedRect(
                x: Double(face.centerX - face.width / 2) / width,
                y: Double(face.centerY - face.height / 2) / height,
                width: Double(face.width) / width,
                height: Double(face.height) / height
            )
        }
    }

    /// Squares that cover a picture, with some overlap.
    static func squares(in size: FrameSize) -> [NormalizedRect] {
        let (width, height) = (Double(size.width), Double(size.height))
        let side = Self.side * min(width, height)
        func starts(_ length: Double) -> [Double] {
            // A fifth more than needed: a face on the border of one square lies well inside the next.
            let count = Int((1.2 * (length - side) / side).rounded(.up)) + 1
            return (0..<count).map { Double($0) * (length - side) / Double(max(1, count - 1)) }
        }
        return starts(height).flatMap { y in
            starts(width).map {
                NormalizedRect(x: $0 / width, y: y / height, width: side / width, height: side / height)
            }
        }
    }
}
