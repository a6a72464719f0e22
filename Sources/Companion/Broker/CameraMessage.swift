/// A message about a camera, from a broker or from a local session in this process (see `Subscriber`).
package struct CameraMessage: Sendable {
    package enum Content: Sendable {
        case decoded(DaemonMessage)
        case picture(PreviewPicture)
        /// An empty payload: the retained message was removed from the broker.
        case removed
        /// A payload that does not have the documented format of its topic.
        case malformed(MessageDecodingError)
    }

    /// The camera's topic base: the prefix of all its topics.
    package var base: String
    package var topic: Topic
    package var content: Content
    /// Whether the message is a retained one that was published before the subscription.
    var isRetained = false
    /// The payload as received; empty for a message from a local session (`--source`).
    package var payload: [UInt8] = []

    /// The payload as received; for a message from a local session, the payload that a daemon would publish.
    var published: [UInt8] {
        if payload.isEmpty, case .decoded(let message) = content { message.encoded.payload } else { payload }
    }
}

extension CameraMessage {
    /// Decodes a received message; nil if its topic is not one of Facet's.
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

/// A preview picture of a camera.
package struct PreviewPicture: Sendable {
    package enum Content: Sendable {
        case jpeg([UInt8])
        /// A frame of a local session (`--source`), which needs no encoding.
        case frame(Frame)
    }

    package var content: Content
    /// The number of the frame that the picture shows; nil if the message lacks it, as always over MQTT 3.1.1.
    package var frame: Int?
    /// The capture time in seconds since the source's first frame; nil if the message does not say.
    package var mediaTime: Double?
    /// When the picture arrived, in seconds since the command began to follow the camera.
    package var arrival = 0.0
    /// The bounding boxes of the faces found in this picture and, in case a search missed some, in pictures shortly
    /// before and after it; nil if the picture was not searched.
    package var found: [NormalizedRect]?

    /// The bytes of a JPEG; empty if the picture is a frame of a local session (`--source`).
    package var jpeg: [UInt8] { if case .jpeg(let bytes) = content { bytes } else { [] } }
    var isFrame: Bool { if case .frame = content { true } else { false } }
}

extension PreviewPicture {
    package init(_ frame: Frame) {
        self.init(content: .frame(frame), frame: frame.stamp.frame, mediaTime: frame.stamp.mediaTime)
    }

    /// The decoded picture, possibly scaled down, but still large enough to be drawn at the size `target`.
    package func pixels(with decoder: JPEGDecoder, for target: FrameSize? = nil) throws(JPEGError) -> Frame {
        switch content {
        case .jpeg(let bytes): try decoder.decode(bytes, for: target)
        case .frame(let frame): frame
        }
    }

    /// Makes a picture from its message, whose MQTT user properties state the frame number and the media time.
    package init(_ message: MQTTMessage) {
        func property<Value: LosslessStringConvertible>(_ name: String) -> Value? {
            message.userProperties.first { $0.name == name }.flatMap { Value($0.value) }
        }
        self.init(content: .jpeg(message.payload), frame: property("frame"), mediaTime: property("mediaTime"))
        if let time = mediaTime, !(0...FrameStamp.longestMediaTime ~= time) { mediaTime = nil }
    }
}

/// Decodes the preview pictures of one camera one after the other, for drawing.
package final class PreviewDecoder {
    /// The picture that was decoded last.
    package let picture = Picture()
    private let decoder: JPEGDecoder

    package init() throws { decoder = try JPEGDecoder() }

    package func decode(_ new: PreviewPicture, target: FrameSize? = nil) throws {
        try picture.update(from: try new.pixels(with: decoder, for: target), target: target)
    }
}
