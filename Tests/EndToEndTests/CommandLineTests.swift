import FacetTestSupport
import Foundation
import Testing

@Suite("facetd's answers to bad input", .serialized)
struct CommandLineTests {
    /// Runs without a broker; nothing here gets as far as needing one.
    private func run(_ arguments: [String]) async throws -> (status: Int?, output: String) {
        try await BuiltProgram.run("facetd", arguments + ["--no-mqtt"])
    }

    @Test(
        "a source that is none is named, with the reason",
        .timeLimit(.minutes(5)),
        arguments: [
            ("/nowhere/clip.mp4", "/nowhere/clip.mp4"), ("/", "/"), ("/dev/null", "/dev/null"),
            ("gopher://host/clip", "gopher"),
        ]
    )
    func badSource(source: String, named: String) async throws {
        let result = try await run(["--source", source])
        #expect(result.status == 1, "\(result.output)")
        #expect(result.output.contains(named))
        #expect(!result.output.contains("Fatal"))
    }

    @Test("names in problems act on no terminal", .timeLimit(.minutes(5)))
    func hostileNames() async throws {
        let directory = try TemporaryDirectory()
        let text = "\"camera.na\u{07}me\": x\nzones:\n  - name: \"a\\u202Eb\\u0007\"\n    area: [0, 0, 9, 9]\n"
        let program = try await BuiltProgram.run(
            "facetd",
            ["--check", "--config", try directory.write(text, to: "hostile.yaml")],
            environment: ["FACET_LOG_LEVEL": "a\u{1B}[31m", "FACET_\u{202E}X": "1"]
        )
        #expect(program.status == 1 && program.output.contains("camera.na me"), "\(program.output)")
        let acting: Set<Unicode.Scalar> = ["\u{07}", "\u{1B}", "\u{202E}"]
        #expect(acting.isDisjoint(with: program.output.unicodeScalars), "\(program.output.debugDescription)")
    }

    @Test("the last error acts on no terminal, whatever the source is called", .timeLimit(.minutes(5)))
    func hostileSource() async throws {
        let result = try await run(["--source", "/nowhere/a\u{1B}]0;b\u{7}\u{9B}31mc\u{202E}d.mp4"])
        #expect(result.status == 1 && result.output.contains("/nowhere/a ]0;b  31mc d.mp4"), "\(result.output)")
    }

    @Test("a text named like a clip and a cut-off clip end with an error", .timeLimit(.minutes(5)))
    func damagedClip() async throws {
        let directory = try TemporaryDirectory()
        let text = try directory.write("this is no clip, whatever its name says\n", to: "text.mp4")
        let notAClip = try await run(["--source", text])
        #expect(notAClip.status == 1)
        #expect(notAClip.output.contains("text.mp4"))
    }

    @Test(
        "a cut-off clip delivers what there is, leaves cleanly and ends with an error",
        .timeLimit(.minutes(5)),
        .enabled(if: DevelopmentClips.areHere, "the development clips are not beside the checkout")
    )
    func cutOffClip() async throws {
        let directory = try TemporaryDirectory()
        let whole = try Data(contentsOf: URL(filePath: DevelopmentClips.path("asl/walk.mkv")))
        let cut = directory.file("cut.mkv")
        try whole.prefix(whole.count * 2 / 3).write(to: URL(filePath: cut))
        let program = try await BuiltProgram.start(
            "facetd",
            ["--source", cut, "--pace", "asap", "--no-mqtt", "--print"]
        )
        await program.waitUntilEnded()
        let topics = program.messages.map(\.topic)
        #expect(topics.filter { $0 == "faces/enter" }.count == 1)
        #expect(topics.filter { $0 == "faces/leave" }.count == 1)
        #expect(program.messages.last { $0.topic == "faces/status" }?.payload?.state == "stopped")
        #expect(program.result.status == 1, "\(program.output.suffix(600))")
        #expect(program.output.contains("cut.mkv"))
    }

    @Test(
        "bad settings are refused before anything runs",
        .timeLimit(.minutes(5)),
        arguments: [
            ("", "holds no settings"), ("cameras: 3\n", "cameras: is not a setting"),
            ("camera: {size: banana}\n", #""banana" is not a size"#),
        ]
    )
    func badSettings(text: String, reason: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "facetd.yaml")
        for arguments in [["--config", file, "--no-mqtt"], ["--check", "--config", file]] {
            let result = try await BuiltProgram.run("facetd", arguments)
            #expect(result.status == 1)
            #expect(result.output.contains(reason), "\(result.output)")
        }
    }

    @Test(
        "bad settings on the command line are refused, not ignored",
        .timeLimit(.minutes(5)),
        arguments: [
            (["camera.szie=1x1"], "command line: camera.szie: is not a setting; did you mean camera.size?"),
            (["camera.size=640x480", "camera..size=640x480"], "camera..size: is not a setting"),
            (["publish=frown"], #""frown" is not one of metadata"#),
            (["tracking.patience=9999999999999999999999s"], "tracking.patience: "),
        ]
    )
    func badAssignments(assignments: [String], reason: String) async throws {
        let result = try await run(assignments.flatMap { ["--set", $0] })
        #expect(result.status == 1)
        #expect(result.output.contains(reason), "\(result.output)")
    }

    @Test("lists can be set on the command line", .timeLimit(.minutes(5)))
    func lists() async throws {
        let portrait = ["--source", "/usr/local/share/facet/astronaut.png", "--pace", "asap"]
        func topics(_ assignments: [String]) async throws -> Set<String> {
            let arguments = portrait + ["--no-mqtt", "--print"] + assignments.flatMap { ["--set", $0] }
            let program = try await BuiltProgram.start("facetd", arguments)
            await program.waitUntilEnded()
            #expect(program.result.status == 0, "\(program.output)")
            return Set(program.messages.map(\.topic))
        }
        let chosen: Set<String> = ["faces/enter", "faces/count"]
        let all = chosen.union(["faces/metadata", "faces/leave"])
        #expect(try await topics(["publish=enter, count"]).intersection(all) == chosen)
        // The face is in the middle, none in this corner.
        #expect(try await topics(["detection.region=0,0.9,0.1,0.1"]).isDisjoint(with: ["faces/enter"]))
    }

    @Test("missing and truncated models name the command that mends them", .timeLimit(.minutes(5)))
    func models() async throws {
        let directory = try TemporaryDirectory()
        let installed = "/usr/local/lib/facet"
        let names = try FileManager.default.contentsOfDirectory(atPath: installed)
        for name in names {
            let data = try Data(contentsOf: URL(filePath: installed + "/" + name))
            let part = name.contains("landmark") ? data.prefix(100_000) : data
            try part.write(to: URL(filePath: directory.file(name)))
        }
        let source = ["--source", "/usr/local/share/facet/astronaut.png"]
        for models in [directory.path, "/nowhere"] {
            let result = try await run(source + ["--set", "detection.modelDirectory=" + models])
            #expect(result.status == 1)
            #expect(result.output.contains("deploy/setup"), "\(result.output)")
            #expect(result.output.contains(models))
        }
    }

    @Test("help and completions name every option", .timeLimit(.minutes(5)))
    func help() async throws {
        let help = try await BuiltProgram.run("facetd", ["--help"])
        let completions = try await BuiltProgram.run("facetd", ["--generate-completion-script", "bash"])
        for option in ["--config", "--source", "--mqtt", "--topic", "--pace", "--set", "--print", "--no-mqtt"] {
            #expect(help.output.contains(option) && completions.output.contains(option), "\(option)")
        }
        #expect(help.output.contains("--check"))
    }

    @Test(
        "events that a broker refuses to take make a run fail",
        .timeLimit(.minutes(5)),
        .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed: run deploy/setup"),
        .enabled(if: DevelopmentClips.areHere, "the development clips are not beside the checkout")
    )
    func refusedLogin() async throws {
        var options = MosquittoBroker.Options()
        options.users = ["somebody": "else"]
        let broker = try await MosquittoBroker(options)
        let directory = try TemporaryDirectory()
        let result = try await BuiltProgram.run(
            "facetd",
            [
                "--source", DevelopmentClips.path("pyfeat/single_face.mp4"), "--pace", "asap",
                "--mqtt", "mqtt://127.0.0.1:\(broker.port)", "--set", "outbox.path=\(directory.file("outbox.sqlite"))",
            ]
        )
        #expect(result.status == 1, "\(result.output)")
        #expect(result.output.contains("not delivered: 127.0.0.1:\(broker.port)"))
    }

    @Test("unknown options and settings exit with usage", .timeLimit(.minutes(5)))
    func usage() async throws {
        #expect(try await BuiltProgram.run("facetd", ["--sauce", "x"]).status == 64)
        #expect(try await BuiltProgram.run("facetd", ["--set", "novalue"]).status == 64)
        let clip = try await BuiltProgram.run("facetd", ["clip.mp4"])
        #expect(clip.status == 64 && clip.output.contains("facetd --source clip.mp4"), "\(clip.output)")
        let secret = try await BuiltProgram.run("facetd", ["--mqtt", "mqtt://user:hush@host"])
        #expect(secret.status == 64)
        #expect(!secret.output.contains("hush"))
    }

    @Test("a daemon that waits for a camera maps none of FFmpeg's libraries", .timeLimit(.minutes(5)))
    func leanCamera() async throws {
        let daemon = try await BuiltProgram.start(
            "facetd",
            ["--source", "/dev/v4l/by-id/none", "--print", "--no-mqtt"]
        )
        try await daemon.waitForOutput("faces/status")
        // By a file handle: the size that /proc states is 0, and a String would be empty.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(daemon.identifier)/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let libraries = Set(maps.split(separator: "\n").compactMap { $0.split(separator: "/").last })
            .filter { $0.contains(".so") }
        #expect(libraries.contains { $0.hasPrefix("libmosquitto") }, "\(libraries.sorted())")
        #expect(!libraries.contains { $0.hasPrefix("libav") || $0.hasPrefix("libswscale") }, "\(libraries.sorted())")
        #expect(libraries.count <= 40, "\(libraries.sorted())")
    }

    @Test("without FFmpeg's libraries a clip gets an error with the packages' names", .timeLimit(.minutes(5)))
    func missingFFmpeg() async throws {
        let directory = try TemporaryDirectory()
        // The dynamic linker takes the first file of that name, and does not look further if it is no library.
        for version in 50..<80 { _ = try directory.write("", to: "libavutil.so.\(version)") }
        let clip = try directory.write("any content", to: "clip.mp4")
        let result = try await BuiltProgram.run(
            "facetd",
            ["--source", clip, "--no-mqtt"],
            environment: ["LD_LIBRARY_PATH": directory.path]
        )
        #expect(result.status == 1, "\(result.output)")
        #expect(result.output.contains("libavformat") && result.output.contains("libswscale"), "\(result.output)")
    }

    /// Runs facetd on a portrait in a shell that changes its process first.
    private func run(_ arguments: [String], in shell: String) async throws -> (status: Int?, output: String) {
        let portrait = ["--source", "/usr/local/share/facet/astronaut.png", "--pace", "asap", "--no-mqtt"]
        let program = try await ChildProcess(
            "/bin/sh",
            ["-c", shell, "sh", BuildProducts.program("facetd")] + portrait + arguments
        )
        await program.waitUntilEnded()
        return program.result
    }

    @Test(
        "a full disk, and limits that are too low, are one sentence and exit status 1",
        .timeLimit(.minutes(5)),
        arguments: [
            (#"exec "$@" >/dev/full"#, "cannot write messages to standard output (--print): No space left on device"),
            (#"ulimit -v 400000; exec "$@""#, "the limit on address space in KiB is 400000"),
            (#"ulimit -v 100000; exec "$@""#, "the limit on address space in KiB is 100000"),
            (#"ulimit -n 19; exec "$@""#, "the limit on open files is 19"),
        ]
    )
    func failures(shell: String, reason: String) async throws {
        let result = try await run(["--print"], in: shell)
        #expect(result.status == 1)
        #expect(result.output.contains("Error: \(reason)"), "\(result.output)")
    }

    @Test("closed standard descriptors do no harm", .timeLimit(.minutes(5)))
    func closedDescriptors() async throws {
        let result = try await run(["--print"], in: #"exec "$@" <&- >&- 2>&-"#)
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
    }
}
