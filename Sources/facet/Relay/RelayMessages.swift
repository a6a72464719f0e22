import FaceMessages
import FaceMetadata
import Foundation
import Frames

/// Messages of Open Sound Control 1.0.
enum OSC {
    enum Argument {
        case int(Int)
        case float(Double)
        case text(String)
    }

    /// A bundle that takes effect at once.
    static func bundle(_ messages: [[UInt8]]) -> [UInt8] {
        var bytes = padded("#bundle") + [0, 0, 0, 0, 0, 0, 0, 1]
        for message in messages { bytes += bigEndian(UInt32(message.count)) + message }
        return bytes
    }

    static func message(_ address: String, _ arguments: [Argument]) -> [UInt8] {
        var (types, values) = (",", [UInt8]())
        for argument in arguments {
            switch argument {
            case .int(let value):
                types += "i"
                values += bigEndian(UInt32(bitPattern: Int32(clamping: value)))
            case .float(let value):
                types += "f"
                values += bigEndian(Float(value.isFinite ? value : 0).bitPattern)
            case .text(let value):
                types += "s"
                values += padded(value)
            }
        }
        return padded(address) + padded(types) + values
    }

    /// All that is known of the faces: `/facet/count`, and a `/facet/face` for each.
    ///
    /// What is unknown is −1; the angles of a face without any are 0.
    static func faces(_ faces: [FaceObject]) -> [UInt8] {
        let messages = faces.map { face in
            let (bounds, pose) = (face.bounds, face.pose)
            let numbers = [
                bounds.center.x, bounds.center.y, bounds.width, bounds.height, pose?.roll ?? 0, pose?.yaw ?? 0,
                pose?.pitch ?? 0, face.smile ?? -1, face.distance ?? -1,
            ]
            let looking = face.looking.map { $0 ? 1 : 0 } ?? -1
            return message(
                "/facet/face",
                [.int(face.faceID.rawValue)] + numbers.map { .float($0) } + [.int(looking)]
            )
        }
        return bundle([message("/facet/count", [.int(faces.count)])] + messages)
    }

    /// An event: its kind and its face.
    static func event(_ event: FaceEvent) -> [UInt8] {
        message("/facet/event", [.text(Topic(event.kind).rawValue), .int(event.face.faceID.rawValue)])
    }

    /// A text with its end, in whole groups of four bytes.
    private static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix { $0 != 0 })
        return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}

/// The messages that opentrack's "UDP over network" input takes: the head's place and angles as six doubles.
enum OpenTrack {
    /// The height of a face from forehead to chin in metres, for those whose distance is unknown.
    private static let faceHeight = 0.2

    /// Metres of a picture's diagonal one metre before the camera, with the field of view that the daemon assumes unless it is
    /// told another.
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
