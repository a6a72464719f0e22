import FaceMessages
import FaceMetadata
import Foundation
import Frames
import MQTT

@testable import facet

/// The documented look of one's own.
let exampleLook = URL(filePath: #filePath).appending(path: "../../../docs/examples/looks/party.yaml").standardized.path

let encoder = MessageEncoder(camera: "front", boot: "RUN1")

func face(_ id: Int = 1) -> FaceObject {
    FaceObject(
        faceID: FaceID(rawValue: id),
        bounds: NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.6),
        pose: HeadPose(roll: -3.4, yaw: 8.1, pitch: -2),
        confidence: 0.97,
        smiling: true,
        leftEyeClosed: true,
        rightEyeClosed: false,
        trackedFrames: 5
    )
}

func stamp(_ frame: Int) -> FrameStamp {
    // 2026-11-21T04:12:33.120456Z plus the frame's time at 30 frames a second.
    let time = Timestamp(nanoseconds: 1_795_234_353_120_456_000).advanced(bySeconds: Double(frame) / 30)
    return FrameStamp(frame: frame, time: time, mediaTime: Double(frame) / 30)
}

func event(_ kind: FaceEvent.Kind, frame: Int = 0) -> EventMessage {
    EventMessage(
        origin: MessageOrigin(camera: "front", boot: "RUN1"),
        id: "E1",
        seq: 1,
        event: FaceEvent(kind: kind, face: face(), stamp: stamp(frame)),
        latency: nil
    )
}

/// A message as a command takes it from a broker.
func occurrence(_ message: Message, under base: String = "faces", retained: Bool = false) -> Subscriber.Occurrence {
    occurrence(
        ReceivedMessage(
            topic: message.topic.name(under: base),
            payload: message.payload,
            retained: retained,
            userProperties: message.userProperties.map { MQTTMessage.UserProperty($0.name, $0.value) }
        )
    )
}

func occurrence(_ received: ReceivedMessage) -> Subscriber.Occurrence {
    CameraMessage(received).map { .message($0) } ?? .failed(CommandFailure("no topic of the contract"))
}

/// That the broker has answered.
let connected = Subscriber.Occurrence.connection(.connected(.version5, sessionPresent: false, broker: "localhost"))

/// What a daemon publishes about ten seconds.
var figures: DaemonStats {
    var messages = DaemonStats.Messages()
    messages.sent = 12
    messages.dropped = ["overflow": 2]
    return DaemonStats(
        time: stamp(0).time,
        uptime: 60,
        interval: 10,
        frameRate: 29.9,
        analysisRate: 29.5,
        captured: 1800,
        analysed: 1790,
        dropped: ["late": 10],
        stages: [.init(name: "detect", runs: 20, mean: 0.004, longest: 0.009)],
        cpu: 0.125,
        residentBytes: 92_000_000,
        messages: messages
    )
}
