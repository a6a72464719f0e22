import ArgumentParser
import FaceMessages
import Frames
import Glibc
import System

struct Relay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends faces to other programs as OSC or opentrack messages.",
        discussion: """
            About 30 times a second and with each event, over UDP, from a daemon, or from the camera or clip of --source. OSC: a \
            bundle of /facet/count (faces) and a /facet/face each (id, x and y of the middle, width, height as shares of the \
            picture, roll, yaw, pitch in degrees, smile 0 to 1, distance in metres, looking; -1 where unknown), and /facet/event \
            (kind, id). opentrack: place and angles of the nearest face, for its input "UDP over network".

            Examples:
              facet relay --source auto --osc 127.0.0.1:9000
              facet relay --camera porch --opentrack 192.168.1.20:4242
            """
    )

    /// Seconds between two messages while nothing changes.
    private static let interval = 1.0 / 30

    @Option(help: .init("Send Open Sound Control messages there; may be repeated.", valueName: "host:port"))
    var osc: [String] = []

    @Option(help: .init("Send opentrack's messages there; may be repeated.", valueName: "host:port"))
    var opentrack: [String] = []

    @OptionGroup var live: SourceOptions

    func validate() throws {
        if osc.isEmpty, opentrack.isEmpty { throw ValidationError("give --osc HOST:PORT or --opentrack HOST:PORT") }
    }

    func run() async throws {
        let (osc, opentrack) = (try osc.map(DatagramSender.init), try opentrack.map(DatagramSender.init))
        let subscriber = try await live.subscriber(command: "relay", topics: Topic.followed)
        var state = CameraState()
        var lastSent = -Self.interval
        StandardOutput.note("sending to \((osc + opentrack).map(\.address).joined(separator: ", ")); Ctrl-C ends")
        try await subscriber.follow(every: .seconds(Self.interval)) { input in
            if case .occurrence(let occurrence) = input.content {
                state.take(occurrence)
                if case .event(let event) = occurrence.decoded {
                    for sender in osc { sender.send(OSC.event(event.event)) }
                }
            }
            guard input.seconds - lastSent >= Self.interval else { return true }
            lastSent = max(lastSent + Self.interval, input.seconds - Self.interval)
            for sender in osc { sender.send(OSC.faces(state.faces)) }
            let picture = (state.status?.picture).map(FrameSize.init) ?? .usual
            guard let head = OpenTrack.message(state.faces, picture: picture) else { return true }
            for sender in opentrack { sender.send(head) }
            return true
        }
    }
}

/// Sends datagrams to one address, whether a program listens there or not.
final class DatagramSender {
    let address: String

    private let descriptor: CInt
    private var isReported = false
    /// How often in a row sending worked: that no program listens is known from the answer to the datagram before.
    private var successes = 0

    /// Looks the address up.
    ///
    /// - Parameter address: `HOST:PORT`, or `[ADDRESS]:PORT`.
    /// - Throws: `CommandFailure` if it is none, or is unknown.
    init(to address: String) throws {
        self.address = address
        guard let place = HostAndPort(address), let port = place.port else {
            throw CommandFailure("'\(address)' is no address to send to: write HOST:PORT, such as 192.168.1.20:9000")
        }
        let found: SocketAddress
        do {
            found = try SocketAddress.all(of: place.host, port: Int(port))[0]
        } catch {
            throw CommandFailure("cannot send to \(address): \(error.reason)")
        }
        descriptor = socket(found.family, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, found.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure("cannot send to \(address): \(reason)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a datagram; one that cannot be sent, as where no program listens, is dropped. That is reported once.
    func send(_ bytes: [UInt8]) {
        guard Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT)) < 0 else {
            successes += 1
            if successes > 1 { isReported = false }
            return
        }
        if !isReported { StandardOutput.note("\(address) does not take messages: \(String(cString: strerror(errno)))") }
        (isReported, successes) = (true, 0)
    }
}

/// Messages of Open Sound Control 1.0.
enum OSC {
    struct Argument {
        let type: String
        let bytes: [UInt8]

        static func int(_ value: Int) -> Self {
            Self(type: "i", bytes: bigEndian(UInt32(bitPattern: Int32(clamping: value))))
        }

        static func float(_ value: Double) -> Self {
            Self(type: "f", bytes: bigEndian(Float(value.isFinite ? value : 0).bitPattern))
        }

        static func text(_ value: String) -> Self { Self(type: "s", bytes: padded(value)) }
    }

    /// A bundle that takes effect at once.
    static func bundle(_ messages: [[UInt8]]) -> [UInt8] {
        var bytes = padded("#bundle") + [0, 0, 0, 0, 0, 0, 0, 1]
        for message in messages { bytes += bigEndian(UInt32(message.count)) + message }
        return bytes
    }

    static func message(_ address: String, _ arguments: [Argument]) -> [UInt8] {
        padded(address) + padded("," + arguments.map(\.type).joined()) + arguments.flatMap(\.bytes)
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
