import FaceMessages
import FaceMetadata
import FacetTestSupport
import Testing

@testable import DaemonCore

@Suite("The summary of a run")
struct RunSummaryTests {
    private let encoder = MessageEncoder(camera: "front", boot: "RUN1")

    private func send(_ kind: FaceEvent.Kind, face: Int, at seconds: Double, to summary: RunSummary) {
        let object = FaceObject(
            faceID: FaceID(rawValue: face),
            bounds: NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2),
            confidence: 1
        )
        let stamp = FrameStamp(frame: Int(seconds * 30), time: Timestamp(nanoseconds: 0), mediaTime: seconds)
        let event = FaceEvent(kind: kind, face: object, stamp: stamp)
        summary.send(encoder.event(event, id: "E", seq: 1, latency: nil))
    }

    @Test("counts what each face did")
    func counts() {
        let summary = RunSummary()
        #expect(summary.lines(frames: 1) == ["no face was seen in 1 frame"])
        send(.enter, face: 1, at: 0.5, to: summary)
        send(.enter, face: 2, at: 2, to: summary)
        for second in [1.0, 2, 3] { send(.blink(eyes: .both, duration: 0.2), face: 1, at: second, to: summary) }
        send(.smile, face: 1, at: 3, to: summary)
        send(.leave(dwell: 4.25, lastSeen: Timestamp(nanoseconds: 0), reason: .left), face: 1, at: 5, to: summary)
        #expect(
            summary.lines(frames: 300) == [
                "2 faces in 300 frames", "  face 1  from 0.5 s for 4.3 s: smile × 1, blink × 3", "  face 2  from 2.0 s",
            ]
        )
    }

    @Test("lists so many faces and counts the rest")
    func many() {
        let summary = RunSummary()
        for face in 1...50 { send(.enter, face: face, at: 1, to: summary) }
        let lines = summary.lines(frames: 9)
        #expect(lines.count == 42 && lines.first == "50 faces in 9 frames" && lines.last == "  and 10 more")
    }
}
