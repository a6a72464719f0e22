import FaceMessages
import Frames
import Glibc
import System

/// The messages that opentrack's "UDP over network" input takes: the head's place and angles as six doubles.
enum OpenTrack {
    /// The height of a face from forehead to chin in metres, for those whose distance is unknown.
    private static let faceHeight = 0.2

    /// Metres of a picture's diagonal one metre before the camera, with the field of view that the daemon assumes
    /// by default.
    private static let spread = 2 * tan(70.0 / 2 * .pi / 180)

    /// The nearest face, as x, y and z in centimetres from the camera, to the picture's right, up and away from it, then yaw,
    /// pitch and roll in degrees; nil without a face whose angles are known.
    static func message(_ faces: [FaceObject], picture: FrameSize) -> [UInt8]? {
        guard let face = faces.filter({ $0.isSeen && $0.pose != nil }).max(by: { $0.bounds.area < $1.bounds.area }),
            let pose = face.pose
        else { return nil }
        let (width, height) = (Double(picture.width), Double(picture.height))
        let diagonal = (width * width + height * height).squareRoot()
        // Metres before the camera for a metre of picture height.
        let z = face.distance ?? faceHeight / max(0.01, face.bounds.height) / (spread * height / diagonal)
        let center = face.bounds.center
        let x = (center.x - 0.5) * z * spread * width / diagonal
        let y = (0.5 - center.y) * z * spread * height / diagonal
        return [100 * x, 100 * y, 100 * z, pose.yaw, pose.pitch, pose.roll].flatMap { value in
            withUnsafeBytes(of: (value.isFinite ? value : 0).bitPattern.littleEndian) { Array($0) }
        }
    }
}
