package import FaceMessages
package import FacetKit

/// Turns a session's updates into the messages that a daemon would publish, every change of a face among them.
package struct UpdateMessages {
    private let origin: MessageOrigin
    private var status: DaemonStatus?
    private var events = 0

    /// Makes messages under a camera's name; a file has none of its own.
    package init(camera: String = "file") { origin = MessageOrigin(camera: camera, boot: ULID.make(at: .wallClock())) }

    /// The messages about an update: a leave before the status that explains it, and the faces after it.
    package mutating func messages(of update: FaceUpdate) -> [DecodedMessage] {
        var messages = update.events.map { event in
            events += 1
            let id = ULID.make(at: event.stamp.time)
            return DecodedMessage.event(EventMessage(origin: origin, id: id, seq: events, event: event, latency: nil))
        }
        var status = self.status ?? DaemonStatus(state: .online)
        status.update(to: update.state)
        status.detect = update.state != .paused
        status.version = facetVersion
        status.attention = update.attention
        if status != self.status { messages.append(.status(status, from: origin)) }
        self.status = status
        if let stamp = update.stamp { messages.append(metadata(stamp, update.faces)) }
        return messages
    }

    package func metadata(_ stamp: FrameStamp, _ faces: [FaceObject]) -> DecodedMessage {
        .metadata(MetadataMessage(origin: origin, stamp: stamp, faces: faces))
    }
}
