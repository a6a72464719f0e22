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

func occurrence(_ message: Message, retained: Bool = false) -> Subscriber.Occurrence {
    .message(
        message.topic,
        ReceivedMessage(topic: message.topic.name(under: "faces"), payload: message.payload, retained: retained)
    )
}
