import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import MQTT
import Testing

@testable import Companion

@Suite("facet top")
struct TopTests {
    private let formatter = TopFormatter(watch: WatchFormatter(hasColors: false, utcOffset: { _ in 0 }))

    private func metadata(_ faces: [FaceObject], frame: Int, under base: String = "faces") -> Subscriber.Occurrence {
        occurrence(encoder.metadata(faces, at: stamp(frame)), under: base)
    }

    private func face(_ id: Int, smile: Double? = nil, yaw: Double = 0, isBlinking: Bool = false) -> FaceObject {
        var face = CompanionTestSupport.face(id)
        face.smile = smile
        face.pose = HeadPose(roll: 0, yaw: yaw, pitch: 0)
        (face.leftEyeClosed, face.rightEyeClosed) = (isBlinking, isBlinking)
        return face
    }

    @Test("bars follow values: unknown ones are blank, those out of range are at its end")
    func bars() {
        let values: [Double?] = [0, 0.5, nil, 1, 7, .nan]
        #expect(FaceTrace.sparkline(values, in: 0...1, width: 8) == "  ▁▅ ██ ")
        #expect(FaceTrace.sparkline(values, in: 0...1, width: 3) == "██ ")
        #expect(FaceTrace.sparkline([-45, 0, 45], in: -45...45, width: 3) == "▁▅█")
    }

    @Test("a blink and a smile within a step stay visible, and a face without messages goes on")
    func steps() {
        var trace = FaceTrace(face(1, smile: 0.1), at: 0)
        trace.note(face(1, smile: 0.9, isBlinking: true), at: 0.1)
        trace.note(face(1, smile: 0.2, yaw: 30), at: 0.3)
        #expect(trace.steps == [[0.9, 0, nil, 30, 0, 0]])
        trace.advance(to: 1.6)
        #expect(trace.steps.map { $0[0] } == [0.9, 0.2, 0.2, 0.2] && trace.steps.map { $0[1] } == [0, 1, 1, 1])
        trace.advance(to: 1e6)
        #expect(trace.steps.count == 120)
    }

    @Test("a row for each face, and the events below")
    func rows() throws {
        var top = TopState()
        top.take(connected, at: 0)
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.attention = [.tooDark]
        top.take(occurrence(encoder.status(status)), at: 0)
        var before = face(1, smile: 0.1)
        var after = face(1, smile: 1)
        (before.looking, after.looking) = (false, true)
        top.take(metadata([before, face(12, yaw: -45)], frame: 0), at: 0)
        top.take(metadata([after, face(12, yaw: 44)], frame: 30), at: 1)
        top.take(occurrence(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil)), at: 1)
        top.advance(to: 2)
        let lines = formatter.lines(top, columns: 80, rows: 24, at: 2, note: "localhost:1883")
        #expect(
            lines == [
                "faces streaming (too_dark) · 2 faces · localhost:1883 · q quits", "",
                "FACE    SEEN  SMILE        EYES         LOOK         YAW          PITCH      ",
                "1        2 s  ▂▂███  100%  █████  open  ▁▁███  here  ▅▅▅▅▅    0°  ▅▅▅▅▅    0°",
                "12       2 s            –  █████  open            –  ▁▁███   44°  ▅▅▅▅▅    0°", "",
                "04:12:33.120  smile        face 1 roll -3° yaw 8° pitch -2°",
            ]
        )
    }

    @Test("the figures of today are the daemon's, which count smiles at once")
    func today() throws {
        var top = TopState()
        var totals = DayTotals(since: stamp(0).time)
        totals.smiles = 2
        top.take(occurrence(encoder.status(DaemonStatus(state: .online, cameraState: .streaming))), at: 0)
        top.take(occurrence(encoder.today(totals)), at: 0)
        top.take(metadata([face(1)], frame: 0), at: 0)
        top.take(occurrence(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil)), at: 1)
        let lines = formatter.lines(top, columns: 120, rows: 24, at: 2, note: "here")
        #expect(lines[0].contains("visits 0, looks 0, smiles 2 "), "\(lines[0])")
    }

    @Test("no line is wider than the terminal and none too many", arguments: [(20, 5), (40, 10), (79, 24), (300, 60)])
    func size(columns: Int, rows: Int) {
        var top = TopState()
        top.take(metadata((1...40).map { face($0, smile: 0.5) }, frame: 0), at: 0)
        top.take(metadata((1...3).map { face($0, smile: 0.5) }, frame: 0, under: "some/other/room/faces"), at: 0)
        for number in 1...50 {
            top.take(occurrence(encoder.event(event(.smile).event, id: "E\(number)", seq: number, latency: nil)), at: 1)
        }
        let lines = formatter.lines(top, columns: columns, rows: rows, at: 2, note: "localhost:1883")
        #expect(lines.count == rows)
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("more faces") } || rows > 50)
    }

    @Test("a camera that does not look has no count of faces")
    func notLooking() {
        var top = TopState()
        top.take(occurrence(encoder.status(DaemonStatus(state: .online, cameraState: .disabled))), at: 0)
        top.take(occurrence(encoder.count(0)), at: 0)
        let lines = formatter.lines(top, columns: 80, rows: 24, at: 2, note: "localhost:1883")
        #expect(lines.first == "faces disabled · localhost:1883 · q quits")
    }

    @Test("nothing is kept of a camera that was removed from the broker")
    func removed() {
        var top = TopState()
        for number in 1...9 {
            let base = "x\(number)/faces"
            top.take(metadata([face(1)], frame: 0, under: base), at: 0)
            top.take(occurrence(MQTTMessage(topic: "\(base)/status", payload: [])), at: 0)
        }
        #expect(top.traces.isEmpty)
    }

    @Test("faces go with the metadata, with the connection and with the daemon")
    func gone() {
        var top = TopState()
        top.take(metadata([face(1), face(2)], frame: 0), at: 0)
        top.take(metadata([face(2)], frame: 1), at: 1)
        #expect(top.rows.map(\.trace.face.faceID.rawValue) == [2])
        top.take(occurrence(encoder.status(DaemonStatus(state: .offline))), at: 2)
        #expect(top.rows.isEmpty)
        top.take(metadata([face(3)], frame: 2, under: "porch/faces"), at: 3)
        #expect(top.rows.map(\.base) == ["porch/faces"])
        top.take(.connection(.disconnected("gone")), at: 4)
        #expect(top.rows.isEmpty)
    }
}
