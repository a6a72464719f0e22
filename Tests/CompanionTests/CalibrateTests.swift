import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FaceTracking
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
        #expect(try measurement.measure([], at: 0) == nil)
        #expect(try measurement.measure([face(nil)], at: 1) == nil)
        let far = face(Gaze(yaw: -40, pitch: 0), width: 0.1)
        for step in 0..<10 {
            // A glance aside is no reason to begin again.
            let gaze = step == 4 ? Gaze(yaw: 80, pitch: 0) : Gaze(yaw: 12 + Double(step % 3), pitch: -4)
            #expect(try measurement.measure([far, face(gaze)], at: 2 + Double(step) / 10) == nil)
        }
        #expect(try measurement.measure([far, face(Gaze(yaw: 13, pitch: -4))], at: 3) == Gaze(yaw: 13, pitch: -4))
    }

    @Test("waits for the whole of a long measurement that begins late")
    func longMeasurement() throws {
        var measurement = GazeMeasurement(seconds: 30)
        let gaze = Gaze(yaw: 1, pitch: 2)
        var found: Gaze?
        for time in stride(from: GazeMeasurement.patience, through: measurement.deadline, by: 1) where found == nil {
            found = try measurement.measure([face(gaze)], at: time)
        }
        #expect(found == gaze)
    }

    @Test("gives up on somebody who looks around, and says why nothing was measured")
    func failures() {
        var around = GazeMeasurement(seconds: 1)
        let failure = #expect(throws: CommandFailure.self) {
            for step in 0...10 {
                _ = try around.measure([face(Gaze(yaw: Double(step * 6), pitch: 0))], at: Double(step) / 10)
            }
        }
        #expect(failure?.description.contains("look at one point") == true)
        var nobody = GazeMeasurement(seconds: 1)
        #expect(nobody.failureReason("auto").contains("no face was seen at auto"))
        var camera = CameraState()
        let status = DaemonStatus(state: .online, cameraState: .lost, detail: "no camera found")
        _ = camera.take(.status(status, from: MessageOrigin(camera: "a", boot: "b")))
        #expect(nobody.failureReason("auto", camera).hasSuffix("at auto: the camera is lost – no camera found"))
        _ = try? nobody.measure([face(nil)], at: 0)
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
        let direction = GazeMeasurement.text(Gaze(yaw: 12.34, pitch: -4))
        _ = try SettingsText(path: path).changed("look", "direction", to: direction).write()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == after)
    }

    /// Plays what a person does who follows the words, at 20 steps a second.
    private func play(
        _ faces: (GuidedMeasurement, Int) -> [FaceObject]
    ) throws -> (GuidedMeasurement, SmileCalibration.Outcome) {
        var measurement = GuidedMeasurement()
        for step in 0..<2000 {
            let outcome = try measurement.measure(faces(measurement, step), at: Double(step) / 20)
            if let outcome { return (measurement, outcome) }
        }
        throw CommandFailure("it does not end")
    }

    private func smiling(_ smile: Double?) -> FaceObject {
        var face = face(nil)
        face.smile = smile
        return face
    }

    @Test("finds settings for a person who smiles weakly, says what they would have done, and writes both")
    func smile() throws {
        let (measurement, outcome) = try play { measurement, _ in
            [smiling(measurement.prompt?.contains("smile") == true ? 0.5 : 0.1)]
        }
        #expect((0.3..<0.7).contains(outcome.settings.level) && outcome.settings.hold == 0)
        let words = measurement.script.words(on: outcome)
        #expect(words.hasPrefix("this reports 3 of your 3 smiles, and 0") && words.contains("the default 0 of"))
        #expect(measurement.bar == "███░░░░░░░│░░░░░░░░░░│░░░░░░░░")
        let directory = try TemporaryDirectory()
        let path = try directory.write("smile:\n  hold: 1s\n", to: "facetd.yaml")
        let text = try SettingsText(path: path).changed("smile", "level", to: "0.45").changed(
            "smile",
            "hold",
            to: "0ms"
        )
        #expect(text.lines == ["smile:", "  level: 0.45", "  hold: 0ms", ""])
    }

    @Test("says what was wrong: two people from the beginning or later, nobody any more, no smile, talk like a smile")
    func wrongSmiles() throws {
        func failure(_ faces: (GuidedMeasurement, Int) -> [FaceObject]) -> String? {
            let failure = #expect(throws: CommandFailure.self) { _ = try play(faces) }
            return failure?.description
        }
        for lonely in [0, 9] {
            let two = failure { _, step in Array(repeating: smiling(0.1), count: step < lonely ? 1 : 2) }
            #expect(two?.contains("alone") == true, "\(two ?? "none")")
        }
        #expect(failure { _, step in step < 99 ? [smiling(0.1)] : [] }?.contains("stay near") == true)
        #expect(failure { _, _ in [smiling(0.1)] }?.contains("no smile was seen") == true)
        let talk = failure { measurement, _ in
            [
                smiling(
                    measurement.prompt?.contains("smile") == true
                        ? 0.6 : measurement.prompt?.contains("talk") == true ? 0.9 : 0.1
                )
            ]
        }
        #expect(talk?.contains("look like your talk") == true)
        var unknown = GuidedMeasurement()
        #expect(unknown.failureReason("auto").hasPrefix("no face was seen at auto"))
        #expect(try unknown.measure([smiling(nil)], at: 1) == nil)
        #expect(unknown.failureReason("auto").contains("come nearer"))
        #expect(try unknown.measure([smiling(0.1), smiling(0.1)], at: 1.1) == nil)
        #expect(unknown.failureReason("auto").contains("more than one face"))
    }

    @Test("writes a 0 without a sign")
    func zero() {
        #expect(GazeMeasurement.text(Gaze(yaw: -0.04, pitch: -0.0)) == "[0.0, 0.0]")
    }

    @Test(
        "refuses a file that it cannot change safely, with the reason",
        arguments: ["look: {cone: 25}\n", "look: [\n"]
    )
    func refusal(text: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(text, to: "facetd.yaml")
        #expect(throws: (any Error).self) { try SettingsText(path: path).changed("look", "direction", to: "[0, 0]") }
        #expect(throws: FileError.self) { try SettingsText(path: directory.file("none.yaml")) }
    }
}
