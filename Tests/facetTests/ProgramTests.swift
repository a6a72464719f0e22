import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import FoundationNetworking
import Frames
import MQTT
import MediaFiles
import OverlayRendering
import Testing

@testable import ClipDrawing
@testable import Companion
@testable import facet

/// The built program, where it matters that it is one: its exit status, its signals, its output.
@Suite("The program", .serialized, .timeLimit(.minutes(5)))
struct ProgramTests {
    private let facet = BuildProducts.program("facet")

    @Test("says why its output cannot be written, and fails")
    func fullDevice() async throws {
        let program = try await ChildProcess("/bin/sh", ["-c", "exec \"$0\" devices >/dev/full", facet])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1)
        #expect(program.output.contains("facet: cannot write to standard output: No space left on device"))
    }

    @Test(
        "refuses what cannot be before it asks the broker, and fails",
        arguments: [
            (["help", "foo"], 64, "there is no command 'foo'"),
            (["looks"], 64, "'facet looks' is now 'facet overlays'"),
            (["help", "metrics"], 64, "'facet metrics' is now 'facet fleet --prometheus FILE'"),
            (["mirror", "--to", "/dev/video20"], 64, "'facet mirror' is now 'facet webcam'"),
            (["watch", "--only", "smile"], 64, "'--only' is now 'watch smile leave'"),
            (["watch", "-v"], 64, "'-v' is now '--faces'"),
            (["press", "--on", "nod=Y"], 64, "'--on' is now 'press long_blink=ENTER'"),
            (
                ["watch", "smile", "preview/jpeg", "--source", "a.mp4"], 64,
                "nothing is published on preview/jpeg with --source: it takes a daemon"
            ),
            (["calibrate", "--eyes", "--source", "auto"], 64, "'--eyes' is gone: 'facet watch sign' prints"),
            (
                ["watch", "zone_enter", "--source", "a.mp4"], 64,
                "nothing is published on zone_enter with --source: it takes a daemon"
            ),
            (
                ["snapshot", "-o", "/tmp/a.png", "--on", "zone_enter", "--source", "a.mp4"], 64,
                "nothing is published on zone_enter with --source: it takes a daemon"
            ),
            (["watch", "zones", "--exec", "true"], 64, "--exec runs for events, count, today, status, detect/state"),
            (["watch", "count", "--post", "http://a"], 64, "--post sends events, and count is none"),
            (["serve", "--loop"], 64, "--loop plays a clip again and again: name one with --source"),
            (["view", "--loop", "--source", "auto"], 64, "--loop plays a clip again and again"),
            (["view", "--look=hearts"], 64, "'--look' is now '--overlay'"),
            (
                ["watch", "--pasword", "x"], 64,
                "'facet watch' has no option '--pasword'; did you mean '--password-file'?"
            ),
            (["view", "--overlay", "heart"], 64, "The value 'heart' is invalid for '--overlay <overlay>'"),
            (["record", "-o", "a.ogv"], 1, "cannot write .ogv: a.ogv; use .mp4"),
            (["fleet", "--once"], 1, "cannot reach the broker: no broker at 127.0.0.1:1: "),
        ] as [([String], Int, String)]
    )
    func refused(arguments: [String], status: Int, reason: String) async throws {
        let program = try await ChildProcess(facet, arguments, environment: ["FACET_MQTT": "mqtt://127.0.0.1:1"])
        await program.waitUntilEnded()
        #expect(program.exitStatus == status && program.output.contains(reason), "\(program.output)")
    }

    @Test("prints drawn areas as settings, one to a line")
    func drawnAreas() async throws {
        let nobody = ["FACET_MQTT": "mqtt://127.0.0.1:1"]
        let program = try await ChildProcess(facet, ["zones", "--no-browser"], environment: nobody)
        try await program.waitForOutput("draw the areas at ")
        let page = try #require(program.output.firstMatch(of: /http:.*\/zones/)?.0.dropLast(5))
        var request = URLRequest(url: try #require(URL(string: page + "areas")))
        request.httpMethod = "POST"
        let areas = "zones:\n  desk:\n    area: [0, 0.4, 0.5, 0.6]\n"
        request.httpBody = Data(areas.utf8)
        _ = try await URLSession.shared.data(for: request)
        try await program.waitForOutput(areas)
        program.signal(SIGTERM)
        await program.waitUntilEnded()
    }

    @Test(
        "completes commands, topics, events, keys, overlays and other words",
        arguments: [
            ("det", "detect"), ("watch smile_", "smile_end"), ("snapshot --on mou", "mouth_open"),
            ("press long", "long_blink="), ("view --overlay he", "hearts"), ("view --fit co", "contain cover"),
        ]
    )
    func completion(words: String, completed: String) async throws {
        let script = #"""
            source <("$0" --generate-completion-script bash)
            COMP_WORDS=(facet $1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _facet facet "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[*]}"
            """#
        let program = try await ChildProcess("/bin/bash", ["-c", script, facet, words])
        await program.waitUntilEnded()
        #expect(program.output.split(separator: "\n").last.map(String.init) == completed, "\(program.output)")
    }

    @Test("completes no file whose name has a command in it, which bash would execute")
    func hostileCompletion() async throws {
        let directory = try TemporaryDirectory()
        for name in ["$(touch hit).yaml", "`touch hit`.yaml", "<(touch hit).yaml", "mine.yaml"] {
            try Data().write(to: URL(filePath: directory.file(name)))
        }
        let script = #"""
            source <("$0" --generate-completion-script bash)
            cd "$1"
            COMP_WORDS=(facet view --overlay "") COMP_CWORD=3
            _facet facet "" --overlay
            echo "${COMPREPLY[*]}"
            """#
        let program = try await ChildProcess("/bin/bash", ["-c", script, facet, directory.path])
        await program.waitUntilEnded()
        #expect(program.output.contains("mine.yaml"), "\(program.output)")
        #expect(!FileManager.default.fileExists(atPath: directory.file("hit")))
    }

    @Test(
        "counts the same faces and smiles in a photograph with every overlay",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips"),
        arguments: ["pyfeat/multi_face.jpg", "stills/2008_002506.jpg"]
    )
    func oneCount(photograph: String) async throws {
        let directory = try TemporaryDirectory()
        var counts: [String] = []
        for overlay in ["santa", "silhouette", "pixelate"] {
            let arguments = [
                "apply", DevelopmentClips.path(photograph), "--overlay", overlay, "-o", directory.file("a.png"),
                "--force",
            ]
            let program = try await ChildProcess(facet, arguments)
            await program.waitUntilEnded()
            counts += program.output.matches(of: /\d+ faces?, \d+ smiles?/).map { String($0.0) }
        }
        #expect(counts.count == 3 && Set(counts).count == 1 && !counts[0].contains(" 0 smiles"), "\(counts)")
    }

    @Test("watches a clip without a daemon, as JSON with ids of its events, and LiteRT says nothing")
    func watchedClip() async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("clip.mkv")
        try makeClip(clip, frames: 20)
        let program = try await ChildProcess(facet, ["watch", "--json", "--source", clip])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0 && !program.output.contains("INFO"), "\(program.output)")
        let lines = program.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(
            lines.contains {
                $0.contains(#""topic":"faces/status""#) && $0.contains(#""cameraState":"streaming""#)
                    || $0.contains("streaming")
            }
        )
    }

    @Test(
        "names a limit of the process under which it cannot run",
        arguments: [("ulimit -n 16", "open files is 16"), ("ulimit -v 400000", "address space in KiB is 400000")]
    )
    func limits(command: String, reason: String) async throws {
        let program = try await ChildProcess("/bin/sh", ["-c", #"\#(command); exec "$0" devices"#, facet])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1 && program.output.contains("the limit on \(reason)"), "\(program.output)")
    }

    @Test(
        "reports what cannot be read once for each topic",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func unreadable() async throws {
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let program = try await ChildProcess(facet, ["watch", "smile", "count", "--count", "1", "--mqtt", url])
        try await broker.waitForLog(" 0 faces/count")
        let daemon = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try daemon.start()
        for byte in "abc".utf8 { daemon.publish(event: MQTTMessage(topic: "faces/smile", payload: [byte])) }
        daemon.publish(event: MQTTMessage(topic: "faces/count", payload: Array("3".utf8)))
        await program.waitUntilEnded()
        #expect(program.output.ranges(of: "the message on smile cannot be read").count == 1, "\(program.output)")
    }

    @Test(
        "counts pictures too",
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup")
    )
    func countOfPictures() async throws {
        let broker = try await MosquittoBroker()
        let program = try await ChildProcess(
            facet,
            ["watch", "preview/jpeg", "--count", "2", "--mqtt", "mqtt://127.0.0.1:\(broker.port)"]
        )
        try await broker.waitForLog(" 0 faces/preview/jpeg")
        let daemon = try BrokerConnection(
            settings: BrokerSettings(host: broker.host, port: broker.port, clientID: "daemon"),
            logger: .silent
        )
        try daemon.start()
        let picture = MQTTMessage(topic: "faces/preview/jpeg", payload: Array("four".utf8))
        for _ in 0..<2 { daemon.publish(event: picture) }
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0)
        #expect(program.output == "preview      4 bytes\npreview      4 bytes\n")
        _ = await daemon.stop()
    }

    @Test("says what is wrong in the user's file in plain words, and shows no password")
    func savedSettings() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("facet"), withIntermediateDirectories: false)
        _ = try directory.write("mqtt: me:hush@host\ntopik: 7\n", to: "facet/facet.yaml")
        let program = try await ChildProcess(
            facet,
            ["fleet", "--once"],
            environment: ["XDG_CONFIG_HOME": directory.path, "FACET_MQTT": ""]
        )
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1, "\(program.output)")
        #expect(program.output.hasPrefix("Error: the companion's settings have 2 problems:\n"), "\(program.output)")
        #expect(!program.output.contains("hush") && !program.output.contains("CommandError"), "\(program.output)")
    }

    @Test("ends with the file that it draws over when it is interrupted, and says so", arguments: [SIGINT, SIGTERM])
    func interruptedDirectory(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        for folder in ["in", "out"] {
            let path = directory.file(folder)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        for name in ["a", "b"] { try makeClip(directory.file("in/\(name).mkv"), frames: 3000) }
        let program = try await ChildProcess(facet, ["apply", directory.file("in"), "-o", directory.file("out")])
        while program.isRunning, try FileManager.default.contentsOfDirectory(atPath: directory.file("out")).isEmpty {
            await Task.yield()
        }
        program.signal(signal)
        await program.waitUntilEnded()
        #expect(program.exitStatus == Int(128 + signal), "\(program.output)")
        #expect(program.output.contains("interrupted: "), "\(program.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("out")) == ["a.mkv"])
    }

    @Test("keeps what it has recorded of a clip when it is interrupted", arguments: [SIGINT, SIGTERM])
    func interruptedRecording(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("clip.mkv")
        let output = directory.file("out/clip.mkv")
        try FileManager.default.createDirectory(atPath: directory.file("out"), withIntermediateDirectories: false)
        let frames = 3000
        try makeClip(clip, frames: frames)
        let program = try await ChildProcess(facet, ["record", "--plain", "--over", clip, "-o", output])
        // The file that is under way has another name; it is there from the first picture on.
        while program.isRunning, try FileManager.default.contentsOfDirectory(atPath: directory.file("out")).isEmpty {
            await Task.yield()
        }
        program.signal(signal)
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0, "\(program.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("out")) == ["clip.mkv"])
        let words = try #require(program.output.split(separator: "\n").last).split(separator: " ")
        let recorded = try #require(words.dropLast().last.flatMap { Int($0) })
        #expect(recorded >= 1 && recorded < frames)
        _ = try PictureFile.load(output, at: 0)
    }

    private func makeClip(_ path: String, frames: Int) throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 320, height: 240))
        canvas.clear(Color(red: 0.3, green: 0.3, blue: 0.3))
        let writer = try ClipWriter(path, size: canvas.pixelSize, rate: 30)
        for frame in 0..<frames {
            try canvas.withFrame(mediaTime: Double(frame) / 30) { try writer.append($0) }
        }
        try writer.finish()
    }
}
