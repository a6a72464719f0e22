/// A message about a camera, from a broker or from a session in this program.
package struct CameraMessage: Sendable {
    package enum Content: Sendable {
        case decoded(DaemonMessage)
        case picture(PreviewPicture)
        /// An empty payload: the retained message was removed from the broker.
        case removed
        /// A payload that breaks the contract of its topic.
        case malformed(MessageDecodingError)
    }

    /// The beginning of the camera's topics.
    package var base: String
    package var topic: Topic
    package var content: Content
    /// Whether the broker had retained the message from before the subscription.
    var isRetained = false
    /// The payload as it was received; empty for a message from a session in this program.
    package var payload: [UInt8] = []

    /// The payload as it was received, or as a daemon would publish it.
    var published: [UInt8] {
        if payload.isEmpty, case .decoded(let message) = content { message.encoded.payload } else { payload }
    }
}

extension CameraMessage {
    /// Reads a received message; nil on a topic that is not of the contract.
    package init?(_ message: MQTTMessage) {
        guard let topic = Topic(name: message.topic) else { return nil }
        let base = topic.base(of: message.topic)
        self.init(base: base, topic: topic, content: .removed, isRetained: message.retain, payload: message.payload)
        if message.retain, !topic.isRetained {
            content = .malformed(.retained(topic: topic))
        } else if topic == .previewJPEG, !payload.isEmpty {
            content = .picture(PreviewPicture(message))
        } else if !payload.isEmpty {
            do {
                content = .decoded(try MessageDecoder().decode(payload, on: topic))
            } catch {
                content = .malformed(error)
            }
        }
    }
}

/// A picture of a camera.
package struct PreviewPicture: Sendable {
    package enum Content: Sendable {
        case jpeg([UInt8])
        /// A frame of a session in this program.
        case frame(Frame)
    }

    package var content: Content
    /// The number of the frame it shows; nil if the daemon does not say, as over MQTT 3.1.1.
    package var frame: Int?
    /// When it was captured, in seconds since the source's first frame; nil if the daemon does not say.
    package var mediaTime: Double?
    /// The time at which it came, in seconds since the command began to follow the camera.
    package var arrival = 0.0
    /// The faces that were found in it and in those just before and after it; nil if it was not searched.
    package var found: [NormalizedRect]?

    /// The bytes of a JPEG; empty for a frame.
    package var jpeg: [UInt8] { if case .jpeg(let bytes) = content { bytes } else { [] } }
    var isFrame: Bool { if case .frame = content { true } else { false } }
}

extension PreviewPicture {
    package init(_ frame: Frame) {
        self.init(content: .frame(frame), frame: frame.stamp.frame, mediaTime: frame.stamp.mediaTime)
    }

    /// The picture's pixels, enough of them to draw it as large as `target`.
    package func pixels(with decoder: JPEGDecoder, for target: FrameSize? = nil) throws(JPEGError) -> Frame {
        switch content {
        case .jpeg(let bytes): try decoder.decode(bytes, for: target)
        case .frame(let frame): frame
        }
    }

    /// Reads the message of a picture, whose user properties name the frame.
    package init(_ message: MQTTMessage) {
        func property<Value: LosslessStringConvertible>(_ name: String) -> Value? {
            message.userProperties.first { $0.name == name }.flatMap { Value($0.value) }
        }
        self.init(content: .jpeg(message.payload), frame: property("frame"), mediaTime: property("mediaTime"))
        if let time = mediaTime, !(0...FrameStamp.longestMediaTime ~= time) { mediaTime = nil }
    }
}

/// Decodes the pictures of a camera, one after the other, for drawing.
package final class PreviewDecoder {
    /// The newest picture.
    package let picture = Picture()
    private let decoder: JPEGDecoder

    package init() throws { decoder = try JPEGDecoder() }

    package func decode(_ new: PreviewPicture, target: FrameSize? = nil) throws {
        try picture.update(from: try new.pixels(with: decoder, for: target), target: target)
    }
}
