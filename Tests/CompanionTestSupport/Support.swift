package import Companion
package import FaceMessages
package import FaceMetadata
package import FacetTestSupport
import Foundation
import Frames
package import MQTT

/// The documented overlay of one's own.
package let exampleOverlay = URL(filePath: #filePath).appending(path: "../../../docs/examples/overlays/party.yaml")
    .standardized
    .path

package let encoder = MessageEncoder(camera: "front", boot: "RUN1")

package func face(_ id: Int = 1) -> FaceObject {
    var face = FaceObject(
        faceID: FaceID(rawValue: id),
        bounds: NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.6),
        pose: HeadPose(roll: -3.4, yaw: 8.1, pitch: -2),
        confidence: 0.97
    )
    (face.smiling, face.leftEyeClosed, face.rightEyeClosed) = (true, true, false)
    face.trackedFrames = 5
    return face
}

package func stamp(_ frame: Int) -> FrameStamp {
    // 2026-11-21T04:12:33.120456Z plus the frame's time at 30 frames a second.
    let time = Timestamp(nanoseconds: 1_795_234_353_120_456_000).advanced(bySeconds: Double(frame) / 30)
    return FrameStamp(frame: frame, time: time, mediaTime: Double(frame) / 30)
}

package func event(_ kind: FaceEvent.Kind, frame: Int = 0) -> EventMessage {
    EventMessage(
        origin: MessageOrigin(camera: "front", boot: "RUN1"),
        id: "E1",
        seq: 1,
        event: FaceEvent(kind: kind, face: face(), stamp: stamp(frame)),
        latency: nil
    )
}

/// A message as a command takes it from a broker.
package func occurrence(_ message: Message, under base: String = "faces", retained: Bool = false)
    -> Subscriber.Occurrence
{
    occurrence(
        MQTTMessage(
            topic: message.topic.name(under: base),
            payload: message.payload,
            retain: retained,
            userProperties: message.userProperties.map { MQTTMessage.UserProperty($0.name, $0.value) }
        )
    )
}

package func occurrence(_ received: MQTTMessage) -> Subscriber.Occurrence {
    CameraMessage(received).map { .message($0) } ?? .failed(CommandFailure("no topic of the contract"))
}

/// That the broker has answered.
package let connected = Subscriber.Occurrence.connection(.connected(.version5, broker: "localhost"))

/// What a daemon publishes about ten seconds.
package var figures: DaemonStats {
    var messages = DaemonStats.Messages()
    messages.sent = 12
    messages.dropped = ["overflow": 2]
    var stats = DaemonStats()
    (stats.time, stats.uptime, stats.interval) = (stamp(0).time, 60, 10)
    (stats.frameRate, stats.analysisRate) = (29.9, 29.5)
    (stats.captured, stats.analysed, stats.dropped) = (1800, 1790, ["late": 10])
    stats.stages = [.init(name: "detect", runs: 20, mean: 0.004, longest: 0.009)]
    (stats.cpu, stats.residentBytes) = (0.125, 92_000_000)
    (stats.cpuDecoding, stats.cpuAnalysis) = (0.08, 0.032)
    stats.messages = messages
    return stats
}
