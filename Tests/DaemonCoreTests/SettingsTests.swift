import FaceMessages
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames
import MQTT
import SettingsFiles
import System
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
        var reader = SettingsReader()
        var settings = Settings()
        settings.read(&reader)
        #expect(reader.readKeys.contains("mqtt.tls.ca"))
        #expect(reader.readKeys.subtracting(file.lines.keys) == [], "not documented")
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
        #expect(settings.camera.configuration.request.size == FrameSize(width: 800, height: 600))
        #expect(settings.camera.configuration.request.rate == 10)
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
                "f.yaml:1: cameras: is not a setting; did you mean camera?",
                #"f.yaml:3: camera.size: "banana" is not a size in pixels such as 640x480, or auto"#,
                #"f.yaml:4: camera.rate: "fast" is not frames per second from 1.0 to 240.0, or auto"#,
                "f.yaml:5: camera.nmae: is not a setting; did you mean camera.name?",
                #"f.yaml:7: events.maxAge: "10" is not a duration with its unit (ms, s, min, h) from 100ms to 24h, or "#
                    + "unlimited",
                #"f.yaml:8: publish: "frown" is not one of "#
                    + Topic.selectable.map(\.rawValue).joined(separator: ", "),
            ]
        )
    }

    @Test(
        "what is no settings file is refused with the reason",
        arguments: [
            ("", "f.yaml: holds no settings"), ("# only a comment\n", "f.yaml: holds no settings"),
            ("---\n", "f.yaml: holds no settings"), ("- a\n- b\n", "f.yaml: must hold keys and values"),
            ("camera", "f.yaml: must hold keys and values"), ("a: b: c", "f.yaml: is not valid YAML"),
            ("camera:\n\tname: x", "f.yaml: is not valid YAML: line 2 is indented with a tab; YAML takes spaces only"),
            ("camera: 3", "f.yaml:1: camera: is a group of settings"),
            ("camera: {name: [a, b]}", "f.yaml:1: camera.name: must be a text that is not empty, not a list"),
            ("publish: metadata", "f.yaml:1: publish: must be a list"),
            ("publish: [[metadata]]", "f.yaml:1: publish: must be a list of single values"),
            ("mqtt: {brokers: []}", "f.yaml:1: mqtt.brokers: is missing: name a broker, such as [localhost]"),
            (#"mqtt: {brokers: ["a,b"]}"#, #"f.yaml:1: mqtt.brokers: "a,b" is not a broker such as"#),
            (#"mqtt: {brokers: ["http://a"]}"#, #"f.yaml:1: mqtt.brokers: "http://a" is not a broker such as"#),
            (#"mqtt: {brokers: ["a:99999"]}"#, #"f.yaml:1: mqtt.brokers: "a:99999" is not a broker"#),
            (#"mqtt: {brokers: ["mqtt://[::1"]}"#, #"f.yaml:1: mqtt.brokers: "mqtt://[::1" is not a broker"#),
            (#"mqtt: {brokers: ["mqtt://a", "mqtts://b"]}"#, "f.yaml:1: mqtt.brokers: mixes"),
            (#"mqtt: {brokers: ["x@a", "y@b"]}"#, "f.yaml:1: mqtt.brokers: names different users"),
            ("camera: {decoder: vaapi}", #"f.yaml:1: camera.decoder: "vaapi" is not one of auto, software, hardware"#),
            ("mqtt: {protocol: 4}", #"f.yaml:1: mqtt.protocol: "4" is not one of 5, 3.1.1, or auto"#),
            ("mqtt: {topic: a/#}", #"f.yaml:1: mqtt.topic: "a/#" is not a topic"#),
            ("mqtt: {brokers: ['mqtt://a'], tls: {ca: x}}", "f.yaml:1: mqtt.brokers: mixes"),
            ("mqtt: {host: a}", "f.yaml:1: mqtt.host: is now mqtt.brokers, such as [broker.lan]"),
            ("mqtt: {port: 1884}", "f.yaml:1: mqtt.port: is now mqtt.brokers, such as [\"broker.lan:1884\"]"),
            ("mqtt: {tls: {enabled: true}}", "f.yaml:1: mqtt.tls.enabled: is now mqtt.brokers, such as [mqtts://"),
            ("camera: {device: auto}", "f.yaml:1: camera.device: is now camera.source"),
            ("signs: {enabled: true}", "f.yaml:1: signs.enabled: is now publish, with sign in its list"),
            ("mqtt: {passwordFile: x}", "f.yaml:1: mqtt.passwordFile: needs mqtt.username"),
            ("mqtt: {brokers: ['me:secret@h']}", "f.yaml:1: mqtt.brokers: \"h\" is not a broker"),
            ("mqtt: {brokers: ['mqtts://me:secret@h']}", "f.yaml:1: mqtt.brokers: \"mqtts://h\" is not a broker"),
            ("\u{FEFF}camera: {name: a}\nlog: {level: loud}", "f.yaml:2: log.level: \"loud\" is not one of"),
            ("detection: {region: [0.5, 0, 0.6, 1]}", "f.yaml:1: detection.region: must be four shares"),
            ("camera: {format: ÄÖ}", #"f.yaml:1: camera.format: "ÄÖ" is not a format of three or four characters"#),
            ("camera: {rate: .nan}", #"f.yaml:1: camera.rate: ".nan" is not frames"#),
            ("camera.source: /dev/video2", "f.yaml:1: camera.source: must be nested, as in config/facetd.yaml"),
            ("mqtt:\n  tls.ca: x", "f.yaml:2: mqtt.tls.ca: must be nested"),
            ("camera: {controls: {gain.x: 1}}", "f.yaml:1: camera.controls.gain.x: must be nested"),
            (#"camera: {controls: {"": 1}}"#, "f.yaml:1: camera.controls.: must be nested"),
            ("camera: {controls: 3}", "f.yaml:1: camera.controls: is a group of settings"),
            ("camera: {controls: [3]}", "f.yaml:1: camera.controls: must be a group of settings, not a list"),
            ("tracking: {patience: 9999999999999999999999s}", "f.yaml:1: tracking.patience: "),
            ("tracking: {patience: ٣s}", "f.yaml:1: tracking.patience: "),
            ("camera: {rate: 1e400}", "f.yaml:1: camera.rate: "),
            ("detection: {minimumSize: nan}", "f.yaml:1: detection.minimumSize: "),
            ("detection: {region: [nan, 0, 1, 1]}", "f.yaml:1: detection.region: must be four shares"),
            ("detection: {region: [0, 0, 1e400, 1]}", "f.yaml:1: detection.region: must be four shares"),
            ("detection: {maximumFaces: 99999999999999999999}", "f.yaml:1: detection.maximumFaces: "),
            ("preview: {width: -9223372036854775808}", "f.yaml:1: preview.width: "),
            ("camera: {size: 99999999999999999999x480}", "f.yaml:1: camera.size: "),
            ("camera: {orientation: -9223372036854775808}", "f.yaml:1: camera.orientation: "),
            ("camera: {buffers: 99999999999999999999}", "f.yaml:1: camera.buffers: "),
            ("mqtt: {topic: a/+\u{301}}", "f.yaml:1: mqtt.topic: "),
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

    @Test("a pipe is refused at once, though nothing would ever come out of it", .timeLimit(.minutes(5)))
    func pipe() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("facetd.yaml")
        #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: SettingsError.self) { try Settings.load(path: path) }
        #expect(
            error?.problems.first?.reason == "cannot be read: it is a pipe or a device, not a regular file",
            "\(String(describing: error))"
        )
    }

    @Test("a variable that looks like a setting and is none is refused; the password's and other programs' are not")
    func environment() {
        let error = #expect(throws: SettingsError.self) {
            try Settings.load(
                environment: [
                    "FACET_MQTT_BROKRES": "x", "FACET_CAMERA_X": "x", "FACET_MQTT_PASSWORD": "secret",
                    "FACET_JSON": "{}",
                ]
            )
        }
        #expect(
            error?.problems.map(\.description) == [
                "environment: FACET_CAMERA_X: is not a setting",
                "environment: FACET_MQTT_BROKRES: is not a setting; did you mean FACET_MQTT_BROKERS?",
            ]
        )
    }

    @Test("a file made to overload the parser is refused at once", arguments: [1, 2, 3])
    func bombs(kind: Int) throws {
        switch kind {
        case 1:
            let levels = (1...40).map { level in
                "k\(level): &k\(level) {" + (0..<9).map { "p\($0): *k\(level - 1)" }.joined(separator: ", ") + "}"
            }
            let text = "k0: &k0 {x: 1, y: 2}\n" + levels.joined(separator: "\n")
            #expect(problems(text).first?.hasPrefix("f.yaml: holds more than 16 YAML aliases") == true)
        case 2:
            let error = #expect(throws: SettingsError.self) {
                try Settings.read(text: (0..<20_000).map { "key\($0): 1" }.joined(separator: "\n"), name: "f.yaml")
            }
            let lines = try #require(error?.description).split(separator: "\n")
            #expect(lines.first == "the settings have 20000 problems:")
            #expect(lines.count == 22 && lines.last == "  and 19980 more")
        default:
            let directory = try TemporaryDirectory()
            let text = "camera: {name: \(String(repeating: "x", count: 300_000))}"
            let path = try directory.write(text, to: "f.yaml")
            let error = #expect(throws: SettingsError.self) { try Settings.load(path: path) }
            #expect(error?.problems.first?.reason == "cannot be read: it is larger than 256 KiB")
            let deep = String(repeating: "{a: ", count: 5000)
            #expect(problems(deep).first?.hasPrefix("f.yaml: is not valid YAML") == true)
        }
    }

    @Test("asterisks in comments and without a name are no aliases; no text before aliases hides them")
    func asterisks() throws {
        let comments = String(repeating: "# *** Camera ***\n# * note\n# *a, *b\n", count: 20)
        let source = "exec:ls *.jpg"
        #expect(try Settings.read(text: comments + "camera: {source: \"\(source)\"}").camera.source == source)
        func isRefused(_ text: String) -> Bool { problems(text).first?.contains("YAML aliases") == true }
        let aliases = String(repeating: ", *a", count: 20)
        for quoted in [" # b", "\n # b", "\n#b", "# b\\\" #"] {
            #expect(isRefused("x: [&a b, \"\(quoted)\"\(aliases)]"), "\(quoted)")
        }
        for end in ["\r", "\u{85}", "\u{2028}", "\u{2029}"] { #expect(isRefused("# b\(end)x: [&a b\(aliases)]")) }
        #expect(isRefused("x: [&a b" + aliases.replacing(" ", with: "\n\u{FEFF}") + "]"))
    }

    @Test("signs are read and published if publish names them, in a mirror image as well")
    func signs() throws {
        let settings = try Settings.read(text: "publish: [sign, smile]")
        #expect(settings.sessionOptions.tracking.readsSigns && settings.publish.contains(.sign))
        #expect(!settings.source.options.isMirrored)
        let without = try Settings.read(text: "camera: {mirror: true}")
        #expect(!without.sessionOptions.tracking.readsSigns && !without.publish.contains(.sign))
        for device in ["auto", "/dev/video0", "clip.mp4", "libcamera", "gstreamer:videotestsrc"] {
            let source = try Settings.read(text: "camera: {mirror: true, source: \"\(device)\"}").source
            #expect(source.options.isMirrored, "\(device)")
        }
    }

    @Test("smiles have a level and a hold; wrong ones are refused")
    func smiles() throws {
        let smile = try Settings.read(text: "smile: {level: 0.55, hold: 500ms}").sessionOptions.tracking.smile
        #expect((smile.level, smile.hold) == (0.55, 0.5))
        #expect(problems("smile: {level: 2, hold: 1min}").count == 2)
    }

    @Test("looks have a cone, a direction and perhaps a distance; wrong ones are refused")
    func looks() throws {
        let look = "look: {cone: 30, hold: 1s, release: 2s, near: 1.5, direction: [12.5, -5]}"
        let tracking = try Settings.read(text: "camera: {fieldOfView: 90}\n" + look).sessionOptions.tracking
        #expect(tracking.fieldOfView == 90)
        #expect((tracking.look.cone, tracking.look.hold, tracking.look.release) == (30, 1, 2))
        #expect(tracking.look.near == 1.5)
        #expect(tracking.look.direction == Gaze(yaw: 12.5, pitch: -5))
        #expect(try Settings.read(text: "look: {near: off}").tracking.look.near == nil)
        #expect(
            problems("look: {near: 0, direction: [90, 0]}\nmetadata: {fields: [gaze, mood]}") == [
                #"f.yaml:1: look.near: "0" is not metres from 0.1 to 20.0, or off"#,
                "f.yaml:1: look.direction: must be yaw and pitch in degrees from -60 to 60, such as [12, -5]",
                #"f.yaml:2: metadata.fields: "mood" is not one of looking, zones, gaze, distance, leftEyeOpen, rightEyeOpen, "#
                    + "mouthOpen, talking, blinksPerMinute, eyesClosedShare, still",
            ]
        )
    }

    @Test("controls keep the names that drivers give them")
    func controls() throws {
        let settings = try Settings.read(text: "camera: {controls: {power_line_frequency: 1, gain: 20}}")
        #expect(settings.camera.configuration.controls == ["power_line_frequency": "1", "gain": "20"])
    }

    @Test("on the command line, too, what is no setting is refused and controls keep their names")
    func arguments() throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings.load(
                arguments: [
                    "camera.szie": "1x1", "camera.size": "640x480", "camera..size": "320x240", "mqtt.tls": "true",
                    "camera.controls.": "3", ".": "x", "framerate": "3", "mqtt.pasword": "x",
                ]
            )
        }
        #expect(
            error?.problems.map(\.description) == [
                "command line: .: is not a setting",
                "command line: camera..size: is not a setting; did you mean camera.size?",
                "command line: camera.controls.: is not a setting; did you mean camera.controls?",
                "command line: camera.szie: is not a setting; did you mean camera.size?",
                "command line: framerate: is not a setting; did you mean camera.rate?",
                "command line: mqtt.pasword: is not a setting; did you mean mqtt.passwordFile?",
                "command line: mqtt.tls: is a group of settings, not a single one",
            ]
        )
        let settings = try Settings.load(arguments: ["camera.controls.gain": "20"])
        #expect(settings.camera.configuration.controls == ["gain": "20"])
    }

    @Test("lists on the command line and in the environment are separated by commas", arguments: [true, false])
    func lists(onCommandLine: Bool) throws {
        func load(_ key: String, _ text: String) throws -> Settings {
            if onCommandLine { return try Settings.load(arguments: [key: text]) }
            return try Settings.load(environment: [SettingsReader.environmentName(key): text])
        }
        #expect(try load("publish", "smile").publish == [.smile])
        #expect(try load("publish", "smile, eyes_closed").publish == [.smile, .eyesClosed])
        #expect(
            try load("detection.region", "0,0,1,0.5").detection.options.region
                == NormalizedRect(x: 0, y: 0, width: 1, height: 0.5)
        )
        let error = #expect(throws: SettingsError.self) { try load("publish", "smile,,frown") }
        let source = onCommandLine ? "command line" : "environment variable FACET_PUBLISH"
        #expect(error?.problems.map(\.source) == [source, source])
    }

    @Test("zones and ignored areas have names, and what is wrong with one is told with its line")
    func areas() throws {
        let text = """
            ignore:
              television: [0.6, 0.2, 0.25, 0.2]
            zones:
              desk:
                area: [0, 0.4, 0.5, 0.4, 0.5, 1, 0, 1]
                dwell: 2s
                minimumSize: 0.1
                anchor: bottom
              Tür 2: {area: [0.6, 0, 0.4, 1]}
            """
        let settings = try Settings.read(text: text)
        #expect(settings.detection.options.ignored == [try PictureArea(numbers: [0.6, 0.2, 0.25, 0.2])])
        let desk = try PictureArea(numbers: [0, 0.4, 0.5, 0.4, 0.5, 1, 0, 1])
        let door = try PictureArea(numbers: [0.6, 0, 0.4, 1])
        #expect(
            settings.tracking.zones
                == [Zone("Tür 2", door), Zone("desk", desk, dwell: 2, minimumSize: 0.1, anchor: .bottom)]
        )
        for name in ["Bu\u{308}ro", "ห้อง", "कमरा"] {
            let zones = try Settings.read(text: "zones: {\(name): {area: [0, 0, 1, 1]}}").tracking.zones
            let composed = name.replacing("u\u{308}", with: "ü")
            #expect(zones.map { Array($0.name.unicodeScalars) } == [Array(composed.unicodeScalars)])
        }
        let wrong = """
            ignore:
              a: [0, 0, 1]
              b: 3
            zones:
              desk: {dwell: 2}
              "a/b": {area: [0, 0, 1, 1]}
              door: {area: [0, 0, 1, 1, 1, 0, 0, 0.9], size: 3}
              x: [0, 0, 1, 1]
            """
        #expect(
            problems(wrong) == [
                "f.yaml:2: ignore.a: has 3 numbers and needs four (x, y, width, height) or those of three corners and "
                    + "more (x, y, x, y, …)",
                "f.yaml:3: ignore.b: must be a list of a number",
                "f.yaml:5: zones.desk: needs an area: x, y, width and height, or the corners of a polygon",
                #"f.yaml:5: zones.desk.dwell: "2" is not a duration with its unit (ms, s, min, h) from 0ms to 1h"#,
                "f.yaml:6: zones.a/b: is not a name for a zone: use letters, digits, spaces, _ and -",
                "f.yaml:7: zones.door.area: crosses or touches itself at the edge from (0.0, 0.0) to (1.0, 1.0)",
                "f.yaml:7: zones.door.size: is not a setting",
                "f.yaml:8: zones.x: needs an area: x, y, width and height, or the corners of a polygon",
                "f.yaml:8: zones.x: is a group of settings, not a single one",
            ]
        )
    }

    @Test("a command line's list comes before the file's, and an empty one empties it")
    func listPrecedence() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("publish: [enter]\ndetection: {region: [0, 0, 1, 0.5]}\n", to: "facetd.yaml")
        let settings = try Settings.load(arguments: ["publish": "smile", "detection.region": ""], path: path)
        #expect(settings.publish == [.smile])
        #expect(settings.detection.options.region == nil)
    }

    @Test(
        "ids and files made of a topic are each topic's own",
        arguments: [
            ("faces", "faces"), ("porch/faces", "porch-faces"), ("porch-faces", "porch_2Dfaces"), ("ü", "_C3_BC"),
        ]
    )
    func identifiers(topic: String, identifier: String) {
        var mqtt = Settings.MQTT()
        mqtt.topic = topic
        #expect(mqtt.defaultClientID == "facetd-\(ProcessInfo.processInfo.hostName)-\(identifier)")
        let file = OutboxLocation.path(topic: topic, environment: ["STATE_DIRECTORY": "/state"])
        #expect(file == "/state/outbox-\(identifier).sqlite")
    }

    @Test(
        "durations carry a unit",
        arguments: [
            ("250ms", 0.25), ("1.5s", 1.5), ("2 min", 120), ("1h", 3600), ("10", nil), ("s", nil), ("-1s", nil),
            ("1e3s", nil), ("", nil), ("5 parsecs", nil), ("+1s", nil), ("nans", nil), ("½s", nil), ("1..5s", nil),
            ("9999999999999999999999s", nil), ("9223372036854775808s", nil), ("99999999999999999h", nil),
        ] as [(String, Double?)]
    )
    func durations(text: String, seconds: Double?) {
        #expect(Duration(text: text) == seconds.map { .seconds($0) })
    }

    @Test("the password is the file's, else the variable's, else systemd's credential, and none without a user")
    func passwordSources() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("of the file\n", to: "password")
        _ = try directory.write("of systemd\n", to: "facet.mqtt-password")
        func password(_ settings: String, _ environment: [String: String]) throws -> String? {
            let mqtt = try Settings.read(text: "mqtt: {\(settings)}", name: "f.yaml").mqtt
            let origin = MessageOrigin(camera: "test", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
            return try mqtt.brokerSettings(origin: origin, environment: environment).password?.revealed()
        }
        let credentials = ["CREDENTIALS_DIRECTORY": directory.path]
        let both = credentials.merging(["FACET_MQTT_PASSWORD": "of the variable"]) { $1 }
        #expect(try password("username: me, passwordFile: \(file)", both) == "of the file")
        #expect(try password("username: me", both) == "of the variable")
        #expect(try password("username: me", credentials) == "of systemd")
        #expect(try password("", credentials) == nil)
        #expect(try password("username: me", ["CREDENTIALS_DIRECTORY": "/nonexistent"]) == nil)
    }

    @Test("several brokers are tried in their order, with the ports and the TLS that they name")
    func brokers() throws {
        let text = #"mqtt: {brokers: [a, "b:1884", "[::1]"], protocol: 3.1.1, willDelay: 0s}"#
        let plain = try Settings.read(text: text).mqtt
        let origin = MessageOrigin(camera: "front", boot: "01JD6Z3K9QW2X4Y5V6B7N8M9PA")
        let settings = try plain.brokerSettings(origin: origin, environment: [:])
        #expect(settings.address == "a:1883, b:1884, [::1]:1883")
        #expect(settings.version == .version311)
        #expect(settings.willDelay == .zero)
        let secure = try Settings.read(text: #"mqtt: {brokers: ["mqtts://lamp@a", "b:1884"]}"#).mqtt
        #expect(try secure.brokerSettings(origin: origin, environment: [:]).address == "a:8883, b:1884")
        #expect(secure.connection.tls == TLSSettings())
        #expect(secure.connection.username == "lamp")
    }
}

extension Settings {
    /// Reads the settings from the text of a settings file, which error messages call `name`.
    fileprivate static func read(text: String, name: String = "settings") throws(SettingsError) -> Settings {
        try load(SettingsReader(file: try SettingsFile(path: name, text: text)))
    }
}
