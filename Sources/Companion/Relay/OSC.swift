/// Messages of Open Sound Control (OSC) 1.0.
package enum OSC {
    package struct Argument {
        package let type: String
        package let bytes: [UInt8]

        static func int(_ value: Int) -> Self {
            Self(type: "i", bytes: bigEndian(UInt32(bitPattern: Int32(clamping: value))))
        }

        static func float(_ value: Double) -> Self {
            Self(type: "f", bytes: bigEndian(Float(value.isFinite ? value : 0).bitPattern))
        }

        package static func text(_ value: String) -> Self { Self(type: "s", bytes: padded(value)) }
    }

    /// An OSC bundle of messages, to take effect immediately.
    package static func bundle(_ messages: [[UInt8]]) -> [UInt8] {
        var bytes = padded("#bundle") + [0, 0, 0, 0, 0, 0, 0, 1]
        for message in messages { bytes += bigEndian(UInt32(message.count)) + message }
        return bytes
    }

    package static func message(_ address: String, _ arguments: [Argument]) -> [UInt8] {
        padded(address) + padded("," + arguments.map(\.type).joined()) + arguments.flatMap(\.bytes)
    }

    /// A bundle about all faces: `/facet/count`, and for each face `/facet/face` with its face number and values. An
    /// unknown value is −1, an unknown angle is 0.
    package static func faces(_ faces: [FaceObject]) -> [UInt8] {
        let messages = faces.map { face in
            message("/facet/face", [.int(face.faceID.rawValue)] + values(of: face).map(\.argument))
        }
        return bundle([message("/facet/count", [.int(faces.count)])] + messages)
    }

    /// A bundle with one face's values, on addresses such as `/facet/CAMERA/NUMBER/smile`. For a nil `face`, which
    /// means that the face has left, the bundle says only that `present` is 0.
    package static func channel(_ number: Int, of camera: String, _ face: FaceObject?) -> [UInt8] {
        let name = addressPart(camera)
        let present = ("present", Argument.int(face == nil ? 0 : 1))
        return bundle(([present] + (face.map(values) ?? [])).map { message("/facet/\(name)/\(number)/\($0)", [$1]) })
    }

    /// A camera's name as a part of an OSC address. Bytes that are special in OSC or not printable ASCII become `%` and
    /// two hexadecimal digits, so that different names stay different.
    private static func addressPart(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case 0x21..<0x7F where !"#%*,/?[]{}".utf8.contains(byte): String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    private static func values(of face: FaceObject) -> [(name: String, argument: Argument)] {
        let center = face.bounds.center
        let pose = face.pose
        let numbers = [
            ("x", center.x), ("y", center.y), ("width", face.bounds.width), ("height", face.bounds.height),
            ("roll", pose?.roll ?? 0), ("yaw", pose?.yaw ?? 0), ("pitch", pose?.pitch ?? 0),
            ("smile", face.smile ?? -1), ("distance", face.distance ?? -1),
        ]
        return numbers.map { ($0, .float($1)) } + [("looking", .int(face.looking.map { $0 ? 1 : 0 } ?? -1))]
    }

    /// The message about an event: its kind, its face's number, and the number of faces afterwards, −1 if unknown.
    package static func event(_ message: EventMessage) -> [UInt8] {
        let name = Topic(message.event.kind).rawValue
        let face = message.event.face.faceID.rawValue
        return Self.message("/facet/event", [.text(name), .int(face), .int(message.faces ?? -1)])
    }

    /// The text with its terminating zero, padded with zeros to a multiple of four bytes.
    private static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix { $0 != 0 })
        return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}

/// Messages to opentrack's input "UDP over network": the position and the angles of a head, as six doubles.
enum OpenTrack {
    /// The assumed height of a face from forehead to chin, in metres, if its distance is unknown.
    private static let faceHeight = 0.2
    /// The metres that the picture's diagonal covers at a distance of 1 m, with the default field of view of 70°.
    private static let spread = 2 * tan(70.0 / 2 * .pi / 180)

    /// The message about the nearest face: its position relative to the camera in centimetres, x to the picture's
    /// right, y up, z away from the camera; then yaw, pitch and roll in degrees. Nil if no face has known angles.
    static func message(_ faces: [FaceObject], picture: FrameSize) -> [UInt8]? {
        let measured = faces.filter { $0.isSeen && $0.pose?.pitch != nil }
        guard let face = measured.max(by: { $0.bounds.area < $1.bounds.area }),
            let pose = face.pose, let yaw = pose.yaw, let pitch = pose.pitch
        else { return nil }
        let width = Double(picture.width)
        let height = Double(picture.height)
        let diagonal = (width * width + height * height).squareRoot()
        // The distance in metres, from the assumed height of a face and the picture's height at 1 m.
        let z = face.distance ?? faceHeight / max(0.01, face.bounds.height) / (spread * height / diagonal)
        let center = face.bounds.center
        let x = (center.x - 0.5) * z * spread * width / diagonal
        let y = (0.5 - center.y) * z * spread * height / diagonal
        return [100 * x, 100 * y, 100 * z, yaw, pitch, pose.roll].flatMap { value in
            withUnsafeBytes(of: (value.isFinite ? value : 0).bitPattern.littleEndian) { Array($0) }
        }
    }
}
