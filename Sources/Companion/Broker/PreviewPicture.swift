import FaceMessages
package import Frames
package import MQTT

/// A picture of a camera.
package struct PreviewPicture: Sendable {
    package enum Content: Sendable {
        case jpeg([UInt8])
        /// A frame of a session in this program.
        case frame(Frame)
    }

    package var content: Content

    /// The frame it shows; nil if the daemon does not say, as over MQTT 3.1.1.
    package var frame: Int?

    /// When it was captured, in seconds since the source's first frame; nil if the daemon does not say.
    package var mediaTime: Double?

    /// When it came, in seconds of the command that follows the camera.
    package var arrival = 0.0

    /// The bytes of a JPEG; none for a frame.
    package var jpeg: [UInt8] {
        if case .jpeg(let bytes) = content { bytes } else { [] }
    }
}

extension PreviewPicture {
    /// A frame of a session in this program.
    package init(_ frame: Frame) {
        self.init(content: .frame(frame), frame: frame.stamp.frame, mediaTime: frame.stamp.mediaTime)
    }

    /// Reads the message of a picture, whose frame stands in its user properties.
    package init(_ message: MQTTMessage) {
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
