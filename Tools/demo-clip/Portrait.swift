import FaceInference
import FaceMetadata
import Frames
import Glibc
import MediaFiles
import ToolPictures

/// A portrait cut out around its person and scaled, with the landmarks of the face.
struct Portrait {
    /// The pixels; outside the person they fade into `wall`.
    var picture: RGBPicture
    /// The face's points in pixels of the picture.
    var landmarks: [PixelLandmark]
    /// The colour of the portrait's background around the head.
    var wall: (red: UInt8, green: UInt8, blue: UInt8)

    /// Why a portrait cannot be animated.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// The distance of the outer eye corners in the finished clip, in pixels: large enough for the eyes to be measured
    /// well.
    static let eyeDistance = 121.0

    /// Finds the face and cuts the person out.
    init(_ path: String) throws {
        let whole = try RGBPicture(PictureFile.load(path))
        let rough = try Self.landmarks(in: whole, path: path)
        let scale = Self.eyeDistance / Self.distance(rough[33], rough[263])
        var cut = Cutout(whole, around: Self.centre(rough), eyeDistance: Self.eyeDistance, scale: scale)
        wall = cut.backgroundColour()
        cut.fade(into: wall)
        picture = cut.picture
        // Measured again where the warp happens: enlarged, the model sees finer.
        landmarks = try Self.landmarks(in: picture, path: path)
    }

    /// The point between the eyes and the mouth.
    var centre: (x: Double, y: Double) { Self.centre(landmarks) }

    /// How the head is tilted in the portrait, in degrees clockwise as the viewer sees it, by the line through the
    /// eyes.
    var roll: Double {
        let left = landmarks[33]
        let right = landmarks[263]
        return atan2(Double(right.y - left.y), Double(right.x - left.x)) * 180 / .pi
    }

    private static func centre(_ landmarks: [PixelLandmark]) -> (x: Double, y: Double) {
        let corners = [33, 263, 61, 291].map { landmarks[$0] }
        return (Double(corners.reduce(0) { $0 + $1.x }) / 4, Double(corners.reduce(0) { $0 + $1.y }) / 4)
    }

    private static func distance(_ a: PixelLandmark, _ b: PixelLandmark) -> Double {
        Double(((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot())
    }

    private final class Pixels: Sendable {}

    private static func landmarks(in picture: RGBPicture, path: String) throws -> [PixelLandmark] {
        var options = FaceAnalyzer.Options()
        options.maximumFaces = 1
        let analyzer = try FaceAnalyzer(options)
        return try picture.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { throw Problem(description: "\(path) has no pixels.") }
            let frame = Frame(
                stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
                captured: .now,
                size: picture.size,
                format: .rgb24,
                planes: Frame.Planes(Frame.Plane(base: base, bytesPerRow: picture.size.width * 3)),
                lease: Pixels()
            )
            guard let face = try analyzer.analyze(frame).observations.first,
                let landmarks = analyzer.landmarks(of: face.lineage)
            else {
                throw Problem(description: "found no face in \(path); take a portrait that shows one from the front.")
            }
            return landmarks.all
        }
    }
}
