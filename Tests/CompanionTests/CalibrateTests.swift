import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import System
import Testing

@testable import Companion

@Suite("facet calibrate")
struct CalibrateTests {
    private func face(_ gaze: Gaze?, width: Double = 0.3) -> FaceObject {
        let bounds = NormalizedRect(x: 0.3, y: 0.3, width: width, height: 0.4)
        var face = FaceObject(faceID: FaceID(rawValue: Int(width * 10)), bounds: bounds, confidence: 1)
        face.gaze = gaze
        return face
    }

    @Test("takes the middle of where the nearest face looks for as long as it is to, once its eyes are seen")
    func measurement() throws {
        var measurement = GazeMeasurement(seconds: 1)
        #expect(try measurement.take([], at: 0) == nil)
        #expect(try measurement.take([face(nil)], at: 1) == nil)
        let far = face(Gaze(yaw: -40, pitch: 0), width: 0.1)
        for step in 0..<10 {
            // A glance aside is no reason to begin again.
            let gaze = step == 4 ? Gaze(yaw: 80, pitch: 0) : Gaze(yaw: 12 + Double(step % 3), pitch: -4)
            #expect(try measurement.take([far, face(gaze)], at: 2 + Double(step) / 10) == nil)
        }
        #expect(try measurement.take([far, face(Gaze(yaw: 13, pitch: -4))], at: 3) == Gaze(yaw: 13, pitch: -4))
    }

    @Test("gives up on somebody who looks around, and says why nothing was measured")
    func failures() {
        var around = GazeMeasurement(seconds: 1)
        let failure = #expect(throws: CommandFailure.self) {
            for step in 0...10 {
                _ = try around.take([face(Gaze(yaw: Double(step * 6), pitch: 0))], at: Double(step) / 10)
            }
        }
        #expect(failure?.description.contains("look at one point") == true)
        var nobody = GazeMeasurement(seconds: 1)
        #expect(nobody.failureReason("auto").contains("no face was seen at auto"))
        var camera = CameraState()
        let status = DaemonStatus(state: .online, cameraState: .lost, detail: "no camera found")
        _ = camera.take(.status(status, from: MessageOrigin(camera: "a", boot: "b")))
        #expect(nobody.failureReason("auto", camera).hasSuffix("at auto: the camera is lost – no camera found"))
        _ = try? nobody.take([face(nil)], at: 0)
        #expect(nobody.failureReason("auto").contains("metadata.fields"))
    }

    @Test(
        "changes one line of a settings file, and leaves its comments and everything else",
        arguments: [
            (
                "look:\n  cone: 25  # wide\n  direction: [0, 0]  # the shelf\nlog: {level: info}\n",
                "look:\n  cone: 25  # wide\n  direction: [12.3, -4.0]  # the shelf\nlog: {level: info}\n"
            ),
            ("# mine\nlook:\n    cone: 25\n", "# mine\nlook:\n    direction: [12.3, -4.0]\n    cone: 25\n"),
            ("log: {level: info}", "log: {level: info}\n\nlook:\n  direction: [12.3, -4.0]\n"),
            ("look:\r\n  direction: [0, 0]\r\n", "look:\r\n  direction: [12.3, -4.0]\r\n"),
        ]
    )
    func file(before: String, after: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(before, to: "facetd.yaml")
        let file = try DirectionFile(path: path)
        _ = try file.changed(to: Gaze(yaw: 12.34, pitch: -4)).write()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == after)
    }

    @Test("writes a 0 without a sign")
    func zero() {
        #expect(DirectionFile.text(Gaze(yaw: -0.04, pitch: -0.0)) == "[0.0, 0.0]")
    }

    @Test(
        "refuses a file that it cannot change safely, with the reason",
        arguments: ["look: {cone: 25}\n", "look: [\n"]
    )
    func refusal(text: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(text, to: "facetd.yaml")
        #expect(throws: (any Error).self) { try DirectionFile(path: path) }
        #expect(throws: FileError.self) { try DirectionFile(path: directory.file("none.yaml")) }
    }
}
