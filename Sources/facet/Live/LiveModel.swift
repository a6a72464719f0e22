import FaceMessages
import FaceMetadata
import Frames
import MQTT
import OverlayRendering

/// What a daemon tells, as it comes: its faces, its condition, its newest preview picture.
struct LiveModel {
    /// What a message brought.
    enum News {
        /// A preview picture.
        case picture
        /// An event.
        case event(EventMessage)
        /// Anything else.
        case other
    }

    /// How long a picture's side may be: as long as there can be a canvas for.
    private static let sides = 1...32767

    /// The faces.
    private(set) var scene = Scene()

    /// The daemon's condition; nil before it was told, and while there is no connection.
    private(set) var status: StatusMessage?

    /// The newest preview picture, a JPEG, and the frame it shows if it says so.
    private(set) var picture: (jpeg: [UInt8], frame: Int?)?

    /// Where the connection stands.
    private(set) var connection: ConnectionState = .connecting

    /// The shape of the camera's picture, as far as the daemon's status names it in words; metadata tells none.
    var pictureSize: FrameSize? {
        guard let detail = status?.status.detail else { return nil }
        for word in detail.split(whereSeparator: { " ,;".contains($0) }) {
            let sides = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            if sides.count == 2, let width = sides[0], let height = sides[1], Self.sides.contains(width),
                Self.sides.contains(height)
            {
                return FrameSize(width: width, height: height)
            }
        }
        return nil
    }

    /// Takes what happened on the connection, at a time in seconds.
    ///
    /// - Returns: what it brought; nil for a message that breaks the contract.
    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) -> News? {
        switch occurrence {
        case .connection(let state):
            connection = state
            if !state.isConnected { forget() }
            return .other
        case .message(.previewJPEG, let message):
            let frame = message.userProperties.first { $0.name == "frame" }.flatMap { Int($0.value) }
            picture = (message.payload, frame)
            return .picture
        case .message(let topic, let message):
            guard let decoded = try? MessageDecoder().decode(message.payload, on: topic) else { return nil }
            return take(decoded, at: seconds)
        case .foreign: return nil
        }
    }

    /// Lets marks fade.
    mutating func advance(to seconds: Double) {
        scene.advance(to: seconds)
    }

    private mutating func take(_ message: DecodedMessage, at seconds: Double) -> News {
        switch message {
        case .metadata(let message): _ = scene.apply(message, at: seconds)
        case .event(let message):
            scene.apply(message, at: seconds)
            return .event(message)
        case .status(let message):
            status = message
            _ = scene.apply(message)
        case .count, .stats, .detectState: break
        }
        return .other
    }

    /// Without a connection nothing is known.
    private mutating func forget() {
        _ = scene.clear()
        status = nil
    }
}
