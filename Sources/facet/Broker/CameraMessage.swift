import FaceMessages
import Frames
import MQTT

/// A message about a camera, from a broker or from a session in this program.
struct CameraMessage: Sendable {
    enum Content: Sendable {
        case decoded(DecodedMessage)
        case picture(PreviewPicture)
        /// Nothing: the broker's way to say that a retained message was removed.
        case removed
        /// What the topic does not promise.
        case malformed(MessageDecodingError)
    }

    /// What the camera's topics begin with.
    var base: String
    var topic: Topic
    var content: Content

    /// Whether the broker had kept it from before the subscription.
    var isRetained = false

    /// The payload as it was received; empty for a message from a session in this program.
    var payload: [UInt8] = []
}

extension CameraMessage {
    /// Reads what was received; nil on a topic that is not of the contract.
    init?(_ message: MQTTMessage) {
        guard let topic = Topic(name: message.topic) else { return nil }
        let content: Content
        if message.retain, !topic.isRetained {
            content = .malformed(.retained(topic: topic))
        } else if message.payload.isEmpty {
            content = .removed
        } else if topic == .previewJPEG {
            content = .picture(PreviewPicture(message))
        } else {
            do {
                content = .decoded(try MessageDecoder().decode(message.payload, on: topic))
            } catch {
                content = .malformed(error)
            }
        }
        self.init(
            base: topic.base(of: message.topic),
            topic: topic,
            content: content,
            isRetained: message.retain,
            payload: message.payload
        )
    }
}

/// The newest events, by which a repetition is recognised: an event is sent again if its acknowledgement was lost.
struct RecentEvents {
    /// Many times what a daemon sends before it waits for acknowledgements.
    private static let capacity = 1000

    private var known: Set<String> = []
    private var order: [String] = []

    /// Whether a message is an event that came before.
    mutating func isRepeated(_ message: CameraMessage) -> Bool {
        guard case .decoded(.event(let event)) = message.content, !event.id.isEmpty else { return false }
        let id = message.base + "/" + event.id
        guard known.insert(id).inserted else { return true }
        order.append(id)
        if order.count > Self.capacity { known.remove(order.removeFirst()) }
        return false
    }
}

/// A picture of a camera.
struct PreviewPicture: Sendable {
    enum Content: Sendable {
        case jpeg([UInt8])
        /// A frame of a session in this program.
        case frame(Frame)
    }

    var content: Content

    /// The frame it shows; nil if the daemon does not say, as over MQTT 3.1.1.
    var frame: Int?

    /// When it was captured, in seconds since the source's first frame; nil if the daemon does not say.
    var mediaTime: Double?

    /// When it came, in seconds of the command that follows the camera.
    var arrival = 0.0

    /// The bytes of a JPEG; none for a frame.
    var jpeg: [UInt8] {
        if case .jpeg(let bytes) = content { bytes } else { [] }
    }
}

extension PreviewPicture {
    /// A frame of a session in this program.
    init(_ frame: Frame) {
        self.init(content: .frame(frame), frame: frame.stamp.frame, mediaTime: frame.stamp.mediaTime)
    }

    /// Reads the message of a picture, whose frame stands in its user properties.
    init(_ message: MQTTMessage) {
        func property(_ name: String) -> String? { message.userProperties.first { $0.name == name }?.value }
        self.init(
            content: .jpeg(message.payload),
            frame: property("frame").flatMap { Int($0) },
            mediaTime: property("mediaTime").flatMap { Double($0) }.flatMap {
                0...FrameStamp.longestMediaTime ~= $0 ? $0 : nil
            }
        )
    }
}
