package import FaceMessages
import Frames
package import MQTT

/// A message about a camera, from a broker or from a session in this program.
package struct CameraMessage: Sendable {
    package enum Content: Sendable {
        case decoded(DecodedMessage)
        case picture(PreviewPicture)
        /// Nothing: the broker's way to say that a retained message was removed.
        case removed
        /// What the topic does not promise.
        case malformed(MessageDecodingError)
    }

    /// What the camera's topics begin with.
    package var base: String
    package var topic: Topic
    package var content: Content

    /// Whether the broker had kept it from before the subscription.
    var isRetained = false

    /// The payload as it was received; empty for a message from a session in this program.
    package var payload: [UInt8] = []
}

extension CameraMessage {
    /// Reads what was received; nil on a topic that is not of the contract.
    package init?(_ message: MQTTMessage) {
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
