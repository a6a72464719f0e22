import FaceMessages
import FaceMetadata
import Frames
import MQTT
import OverlayRendering

/// A picture of the daemon's preview.
struct PreviewPicture: Equatable {
    /// The picture's bytes.
    var jpeg: [UInt8]

    /// The frame it shows; nil if the daemon does not say, as over MQTT 3.1.1.
    var frame: Int?

    /// When it was captured, in seconds since the source's first frame; nil if the daemon does not say.
    var mediaTime: Double?

    /// When it came, in seconds of the command that follows the daemon.
    var arrival: Double
}

extension PreviewPicture {
    /// Reads the message of a picture, whose frame stands in its user properties.
    init(_ message: ReceivedMessage, arrival: Double) {
        func property(_ name: String) -> String? { message.userProperties.first { $0.name == name }?.value }
        self.init(
            jpeg: message.payload,
            frame: property("frame").flatMap { Int($0) },
            mediaTime: property("mediaTime").flatMap { Double($0) },
            arrival: arrival
        )
    }
}

/// What a daemon reported, kept up to date from its messages: its faces, its condition, its preview pictures.
struct LiveModel {
    /// What a message brought.
    enum Change {
        /// A preview picture.
        case picture
        /// An event.
        case event(EventMessage)
        /// Anything else.
        case other
    }

    /// Seconds that a picture waits for the metadata that comes after its frame. The daemon publishes metadata at most
    /// 15 times a second by default: while a face moves, the next message comes within 67 ms.
    private static let patience = 0.1

    /// How many pictures may wait; more come only from a daemon with an unusual rate.
    private static let capacity = 8

    /// The faces.
    private(set) var scene = Scene()

    /// The daemon's condition; nil before the first status, and while there is no connection.
    private(set) var status: StatusMessage?

    /// The newest preview picture.
    private(set) var picture: PreviewPicture?

    /// Whether detection is on; nil before the daemon says so.
    private(set) var isDetecting: Bool?

    /// Where the connection stands.
    private(set) var connection: ConnectionState = .connecting

    /// Whether metadata came: a daemon may publish events only, and then nothing is known about the faces.
    ///
    /// What an earlier run of the daemon left retained on the broker does not count.
    var hasMetadata: Bool { metadataBoot != nil && metadataBoot == status?.origin.boot ?? metadataBoot }

    private var metadataBoot: String?

    private var waiting: [PreviewPicture] = []

    /// The size of the camera's upright picture, as of the daemon's status; metadata does not hold it.
    var pictureSize: FrameSize? { (status?.status.picture).map(FrameSize.init) }

    /// The daemon's `camera.orientation` with which the faces would be upright; nil if none lies on its side.
    var betterOrientation: Orientation? {
        let rolls = scene.layers.compactMap(\.face.pose?.roll)
        guard !rolls.isEmpty else { return nil }
        if rolls.allSatisfy({ (60...120).contains($0) }) { return .left }
        return rolls.allSatisfy { (-120 ... -60).contains($0) } ? .right : nil
    }

    /// Whether pictures of the camera can come: after it was lost or switched off, an old one must not pass for live.
    var isWatching: Bool {
        guard let status = status?.status, status.state == .online else { return status == nil }
        return status.cameraState != .lost && status.cameraState != .disabled
    }

    /// Takes what happened on the connection, at a time in seconds.
    ///
    /// - Returns: what it brought; nil for a message that breaks the contract.
    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) -> Change? {
        switch occurrence {
        case .connection(let state):
            connection = state
            if !state.isConnected { forget() }
            return .other
        case .message(.previewJPEG, let message):
            let picture = PreviewPicture(message, arrival: seconds)
            if waiting.count == Self.capacity { waiting.removeFirst() }
            waiting.append(picture)
            self.picture = picture
            return .picture
        case .message(let topic, let message):
            guard let decoded = try? MessageDecoder().decode(message.payload, on: topic) else { return nil }
            return take(decoded, at: seconds)
        case .foreign: return nil
        }
    }

    /// The newest picture whose faces are known, or that has waited long enough for them; nil if there is none.
    ///
    /// It and all older ones are handed out only once.
    mutating func nextPicture(at seconds: Double) -> PreviewPicture? {
        let isDue = { (picture: PreviewPicture) in
            picture.frame.map(scene.isSettled) ?? true || seconds - picture.arrival >= Self.patience
        }
        guard let index = waiting.lastIndex(where: isDue) else { return nil }
        defer { waiting.removeFirst(index + 1) }
        return waiting[index]
    }

    /// The faces in a picture: those of its frame, or the newest if it does not say which one that is.
    func scene(of picture: PreviewPicture) -> Scene { picture.frame.map(scene.showing) ?? scene }

    /// Lets marks fade.
    mutating func advance(to seconds: Double) {
        scene.advance(to: seconds)
    }

    private mutating func take(_ message: DecodedMessage, at seconds: Double) -> Change {
        switch message {
        case .metadata(let message):
            metadataBoot = message.origin.boot
            _ = scene.apply(message, at: seconds)
        case .event(let message):
            scene.apply(message, at: seconds)
            return .event(message)
        case .status(let message):
            status = message
            _ = scene.apply(message)
            if !isWatching { (waiting, picture) = ([], nil) }
        case .detectState(let isOn): isDetecting = isOn
        case .count, .stats: break
        }
        return .other
    }

    /// Without a connection nothing is known.
    private mutating func forget() {
        _ = scene.clear()
        (status, picture, isDetecting, waiting, metadataBoot) = (nil, nil, nil, [], nil)
    }
}

extension FrameSize {
    /// The size that a status states.
    init(_ picture: DaemonStatus.Picture) { self.init(width: picture.width, height: picture.height) }
}
