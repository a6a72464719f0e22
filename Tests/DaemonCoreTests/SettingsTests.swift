import Foundation
import Frames
import Testing

@testable import DaemonCore

@Suite("Settings")
struct SettingsTests {
    static let exampleFile = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/facetd.yaml").path

    private func problems(_ text: String) -> [String] {
        do {
            _ = try Settings.read(text: text, name: "f.yaml")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test("the documented file holds every key with its default")
    func documentedDefaults() throws {
        #expect(try Settings.load(path: Self.exampleFile) == Settings())
        let file = try SettingsFile(path: Self.exampleFile)
        for key in ["camera.stallTimeout", "mqtt.tls.ca", "outbox.path", "detection.region", "publish"] {
            #expect(file.lines[key] != nil, "\(key) is not documented")
        }
    }

    @Test("no file, environment or option gives the defaults")
    func defaults() throws {
        #expect(try Settings.load() == Settings())
    }

    @Test("the command line comes before the environment, the environment before the file")
    func precedence() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "facet-\(UUID().uuidString).yaml")
        try "camera: {name: file, size: 320x240, rate: 10}".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = try Settings.load(
            arguments: ["camera.name": "argument"],
            environment: ["FACET_CAMERA_NAME": "environment", "FACET_CAMERA_SIZE": "800x600", "HOME": "/"],
            path: file.path
        )
        #expect(settings.camera.name == "argument")
        #expect(settings.camera.size == FrameSize(width: 800, height: 600))
        #expect(settings.camera.rate == 10)
    }

    @Test("every problem is told at once, with its line")
    func allAtOnce() {
        let text = """
            cameras: 3
            camera:
              size: banana
              rate: fast
              nmae: x
            events:
              maxAge: 10
            publish: [metadata, frown]
            """
        #expect(
            problems(text) == [
                #"f.yaml:3: camera.size: "banana" is not a size in pixels such as 640x480, or auto"#,
                #"f.yaml:4: camera.rate: "fast" is not frames per second from 1 to 240, or auto"#,
                #"f.yaml:7: events.maxAge: "10" is not a duration with its unit (ms, s, min, h) from 100ms to 24h, or "#
                    + "unlimited",
                #"f.yaml:8: publish: "frown" is not one of metadata, enter, leave, smile, blink, eyes_closed, count"#,
                "f.yaml:1: cameras: is not a setting; did you mean camera?",
                "f.yaml:5: camera.nmae: is not a setting; did you mean camera.name?",
            ]
        )
    }

    @Test(
        "what is no settings file is refused with the reason",
        arguments: [
            ("", "f.yaml: holds no settings"), ("# only a comment\n", "f.yaml: holds no settings"),
            ("---\n", "f.yaml: holds no settings"), ("- a\n- b\n", "f.yaml: must hold keys and values"),
            ("camera", "f.yaml: must hold keys and values"), ("a: b: c", "f.yaml: is not valid YAML"),
            ("camera: 3", "f.yaml:1: camera: is a group of settings"),
            ("camera: {name: [a, b]}", "f.yaml:1: camera.name: must be a text that is not empty, not a list"),
            ("publish: metadata", "f.yaml:1: publish: must be a list"),
            ("publish: [[metadata]]", "f.yaml:1: publish: must be a list of single values"),
            ("mqtt: {topic: a/#}", #"f.yaml:1: mqtt.topic: "a/#" is not a topic"#),
            ("mqtt: {tls: {enabled: false, ca: x}}", "f.yaml:1: mqtt.tls.enabled: is false, but"),
            ("mqtt: {passwordFile: x}", "f.yaml:1: mqtt.passwordFile: needs mqtt.username"),
            ("detection: {region: [0.5, 0, 0.6, 1]}", "f.yaml:1: detection.region: must be four shares"),
            ("camera: {rate: .nan}", #"f.yaml:1: camera.rate: ".nan" is not frames"#),
            ("camera: {orientation: 9}", #"f.yaml:1: camera.orientation: "9" is not an EXIF orientation"#),
        ]
    )
    func refusals(text: String, beginning: String) {
        #expect(problems(text).first?.hasPrefix(beginning) == true, "\(problems(text))")
    }

    @Test("a missing or unreadable file is named with the reason")
    func missingFile() {
        for (path, reason) in [("/nowhere/facetd.yaml", "there is no such file"), ("/", "it is a directory")] {
            let error = #expect(throws: SettingsError.self) { try Settings.load(path: path) }
            #expect(error?.problems.first?.description.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test("a variable that looks like a setting and is none is refused; the password's and other programs' are not")
    func environment() {
        let error = #expect(throws: SettingsError.self) {
            try Settings.load(
                environment: [
                    "FACET_MQTT_HSOT": "x", "FACET_CAMERA_X": "x", "FACET_MQTT_PASSWORD": "secret", "FACET_JSON": "{}",
                ]
            )
        }
        #expect(
            error?.problems.map(\.description) == [
                "environment: FACET_CAMERA_X: is not a setting",
                "environment: FACET_MQTT_HSOT: is not a setting; did you mean FACET_MQTT_HOST?",
            ]
        )
    }

    @Test("controls keep the names that drivers give them")
    func controls() throws {
        let settings = try Settings.read(text: "camera: {controls: {power_line_frequency: 1, gain: 20}}")
        #expect(settings.camera.controls == ["power_line_frequency": "1", "gain": "20"])
    }

    @Test(
        "durations carry a unit",
        arguments: [
            ("250ms", 0.25), ("1.5s", 1.5), ("2 min", 120), ("1h", 3600), ("10", nil), ("s", nil), ("-1s", nil),
            ("1e3s", nil), ("", nil), ("5 parsecs", nil),
        ] as [(String, Double?)]
    )
    func durations(text: String, seconds: Double?) {
        #expect(Duration(text: text)?.seconds == seconds)
    }
}
