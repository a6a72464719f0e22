import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Testing

@Suite("Message encoder")
struct MessageEncoderTests {
    static let goldenDirectory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test("writes exactly the golden payloads", arguments: Samples.golden.map(\.name))
    func golden(name: String) throws {
        let message = try #require(Samples.golden.first { $0.name == name }).message
        let expected = try String(
            contentsOf: Self.goldenDirectory.appending(path: name + ".json"),
            encoding: .utf8
        )
        #expect(String(decoding: message.payload, as: UTF8.self) + "\n" == expected)
    }

    @Test("leaves out what is unknown or no number")
    func unknownIsAbsent() {
        var face = Samples.bareFace
        face.smile = .nan
        face.pose = HeadPose(roll: .infinity, yaw: 1, pitch: 2)
        let text = String(decoding: Samples.encoder.metadata([face], at: Samples.stamp).payload, as: UTF8.self)
        #expect(!text.contains("smile"))
        #expect(!text.contains("roll"))
        #expect(text.contains(#""yaw":1.0"#))
    }

    @Test("escapes what JSON cannot hold bare")
    func escapes() throws {
        let encoder = MessageEncoder(camera: "a\"b\\c\n\u{1}é", boot: "B")
        let object = try JSONSerialization.jsonObject(with: Data(encoder.status(Samples.status).payload))
        #expect((object as? [String: Any])?["camera"] as? String == "a\"b\\c\n\u{1}é")
    }

    @Test("writes no character that a terminal might act on")
    func noControls() throws {
        let text = "\u{7F}\u{9B}31m\u{202E}\u{2028}\u{E0067}می\u{200C}خواهم"
        let message = MessageEncoder(camera: text, boot: "B").status(Samples.status)
        let line = message.line(base: text)
        let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
        #expect(Set(scalars.filter { $0.value > 0x7E || $0.value < 0x20 }) == Set("می\u{200C}خواهم\n".unicodeScalars))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect((object["payload"] as? [String: Any])?["camera"] as? String == text)
        #expect(object["topic"] as? String == text + "/status")
    }

    @Test("never writes a negative zero", arguments: [-0.0, -0.00001])
    func negativeZero(value: Double) {
        var face = Samples.face
        face.pose = HeadPose(roll: value, yaw: 0, pitch: 0)
        let text = String(decoding: Samples.encoder.metadata([face], at: Samples.stamp).payload, as: UTF8.self)
        #expect(text.contains(#""roll":0.0"#))
    }

    @Test("prints a line with topic, quality of service and retention")
    func line() {
        let line = String(decoding: Samples.encoder.count(2).line(base: "porch/faces"), as: UTF8.self)
        #expect(line == #"{"topic":"porch/faces/count","qos":1,"retain":true,"payload":2}"# + "\n")
        let state = String(decoding: Samples.encoder.detectState(true).line(base: "faces"), as: UTF8.self)
        #expect(state == #"{"topic":"faces/detect/state","qos":1,"retain":true,"payload":"ON"}"# + "\n")
    }

    @Test("never retains an event")
    func eventsAreNotRetained() {
        for topic in Topic.allCases where topic.isEvent {
            #expect(!topic.isRetained)
            #expect(topic.qos == 1)
        }
    }
}
