import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MQTT
import MediaFiles
import OverlayRendering
import Testing

@testable import ClipDrawing
@testable import Companion

/// What a command has collected is written, and events in a queue get through, however the command is ended.
@Suite("Collected work is not lost", .serialized, .timeLimit(.minutes(5)))
struct LostWorkTests {
    private let facet = BuildProducts.program("facet")

    // MARK: - Failures of the source

    @Test(
        "a clip that is cut off ends a recording and a report, which are written",
        arguments: [["record", "--plain", "--source"], ["record", "--plain", "--over"], ["report", "--source"]]
    )
    func cutClip(command: [String]) async throws {
        let directory = try TemporaryDirectory()
        let isReport = command[0] == "report"
        let output = directory.file(isReport ? "out.html" : "out.mkv")
        let clip = try cutClip(in: directory)
        let program = try await ChildProcess(facet, command + [clip, "-o", output])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1 && program.output.contains("could not play \(clip) to its end"))
        #expect(program.output.contains("wrote \(output)"), "\(program.output)")
        guard isReport else { return _ = try PictureFile.load(output, at: 0) }
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains(" · ends early · "))
    }

    @Test("a clip that is cut off makes a report of what could be read")
    func cutInput() async throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("out.html")
        let clip = try cutClip(in: directory)
        let program = try await ChildProcess(facet, ["report", clip, "-o", output, "--json"])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1 && program.output.contains("could not play \(clip) to its end"))
        #expect(program.output.contains("\"endsEarly\" : true"), "\(program.output)")
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains(" · ends early · "))
    }

    @Test("messages whose last line is cut off make a report of the lines before")
    func cutMessages() async throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("out.html")
        let messages = directory.file("m.jsonl")
        let status = encoder.status(streaming).line(base: "faces")
        let enter = encoder.event(event(.enter).event, id: "E1", seq: 1, latency: nil).line(base: "faces")
        try Data(status + enter + status.dropLast(9)).write(to: URL(filePath: messages))
        let program = try await ChildProcess(facet, ["report", messages, "-o", output])
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1, "\(program.output)")
        #expect(program.output.contains("\(messages) ends in the middle of a message"), "\(program.output)")
        let page = try String(contentsOfFile: output, encoding: .utf8)
        #expect(page.contains("Face 1") && page.contains(" · ends early"))
    }

    @Test("a live report is written when another program takes over its connection", .enabled(if: hasBroker))
    func takenOver() async throws {
        let broker = try await MosquittoBroker()
        let directory = try TemporaryDirectory()
        let output = directory.file("out.html")
        let daemon = try daemon(broker)
        publish(encoder.status(streaming), to: daemon)
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let program = try await ChildProcess(facet, ["report", "-o", output, "--mqtt", url, "--topic", "faces"])
        try await broker.waitForLog(" 0 faces/enter")
        publish(encoder.event(event(.enter).event, id: "E1", seq: 1, latency: nil), to: daemon)
        try await broker.waitForLog("to facet-report")
        try await broker.waitForLog("'faces/enter'")
        let name = broker.log.firstMatch(of: /facet-report-[^ ']+/).map { String($0.0) }
        let other = try connection(broker, try #require(name))
        await program.waitUntilEnded()
        #expect(program.exitStatus == 1 && program.output.contains("cannot use the broker: "), "\(program.output)")
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains(" · ends early"))
        for connection in [daemon, other] { _ = await connection.stop() }
    }

    // MARK: - Signals

    @Test(
        "no signal loses a result that is under way",
        arguments: [
            ["record", "--plain", "--seconds", "0.4", "-o", "out.gif", "--source"], ["report", "-o", "out.html"],
        ]
    )
    func signalAtEnd(command: [String]) async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("clip.mkv")
        try makeClip(clip, FrameSize(width: 1280, height: 720), frames: 120)
        let output = directory.file(command.first { $0.hasPrefix("out.") } ?? "")
        let arguments = command.map { $0.hasPrefix("out.") ? output : $0 } + [clip]
        let program = try await ChildProcess(facet, arguments)
        while program.isRunning, !catchesSignal(program) { await Task.yield() }
        #expect(program.isRunning)
        // From now on the signal comes in the first moment in which it would end the program.
        while program.isRunning, catchesSignal(program) { await Task.yield() }
        if !FileManager.default.fileExists(atPath: output) { program.signal(SIGTERM) }
        await program.waitUntilEnded()
        #expect(program.exitStatus == 0 && program.output.contains("wrote \(output)"), "\(program.output)")
    }

    @Test("a report of a clip that a signal ended says so, in the page and by its status")
    func interruptedReport() async throws {
        let directory = try TemporaryDirectory()
        let clip = directory.file("clip.mkv")
        let output = directory.file("out.html")
        try makeClip(clip, FrameSize(width: 320, height: 240), frames: 3000)
        let program = try await ChildProcess(facet, ["report", clip, "-o", output])
        while program.isRunning, !catchesSignal(program) { await Task.yield() }
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        #expect(program.exitStatus == 143, "\(program.output)")
        #expect(program.output.contains("interrupted: the report ends early"), "\(program.output)")
        #expect(try String(contentsOfFile: output, encoding: .utf8).contains(" · ends early"))
    }

    @Test("a signal makes a report of the messages that came through a pipe", arguments: [false, true])
    func interruptedPipe(isClosed: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("lines")
        let output = directory.file("out.html")
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR)
        let program = try await ChildProcess(facet, ["report", path, "-o", output])
        let messages = [encoder.status(streaming), encoder.event(event(.enter).event, id: "E1", seq: 1, latency: nil)]
        for message in messages {
            let line = message.line(base: "faces")
            #expect(write(pipe, line, line.count) == line.count)
        }
        var waiting: CInt = 1
        while program.isRunning, waiting > 0, ioctl(pipe, UInt(FIONREAD), &waiting) == 0 { await Task.yield() }
        program.signal(SIGTERM)
        if isClosed { close(pipe) }
        await program.waitUntilEnded()
        if !isClosed { close(pipe) }
        #expect(program.exitStatus == (isClosed ? 0 : 143), "\(program.output)")
        let page = try String(contentsOfFile: output, encoding: .utf8)
        #expect(page.contains("Face 1") && page.contains(" · ends early") != isClosed)
    }

    @Test("watch passes on what is in its queue when it is stopped", .enabled(if: hasBroker))
    func stoppedWatch() async throws {
        let directory = try TemporaryDirectory()
        let gate = directory.file("gate")
        let done = directory.file("done")
        #expect(mkfifo(gate, 0o600) == 0)
        let program = try await watch(["--exec", "read x <'\(gate)'; echo $FACET_EVENT >>'\(done)'"])
        let pipe = open(gate, O_RDWR)
        defer { close(pipe) }
        program.signal(SIGTERM)
        #expect(write(pipe, "\n\n\n", 3) == 3)
        await program.waitUntilEnded()
        #expect(program.exitStatus == 128 + Int(SIGTERM), "\(program.output)")
        #expect(try String(contentsOfFile: done, encoding: .utf8) == "smile\nsmile\nsmile\n")
    }

    @Test(
        "watch counts what it could not pass on when it is stopped",
        .enabled(if: hasBroker),
        arguments: ["exec", "post"]
    )
    func lostEvents(option: String) async throws {
        let directory = try TemporaryDirectory()
        let gate = directory.file("gate")
        #expect(mkfifo(gate, 0o600) == 0)
        let isPost = option == "post"
        let nobody = "http://127.0.0.1:\(try LoopbackPort.free())/"
        let program = try await watch(["--" + option, isPost ? nobody : "read x <'\(gate)'"])
        program.signal(SIGTERM)
        await program.waitUntilEnded()
        // Lets the command that still runs go.
        close(open(gate, O_RDWR))
        #expect(program.exitStatus == 1, "\(program.output)")
        #expect(program.output.contains("for 2 more events: the time was up"), "\(program.output)")
        // The first command has begun.
        #expect(program.output.contains("\(isPost ? 3 : 2) events did not get through"), "\(program.output)")
    }

    // MARK: - Readers that go away

    @Test("goes on when nobody reads its notes any more")
    func noReaderOfNotes() async throws {
        let directory = try TemporaryDirectory()
        let folder = directory.file("in")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in ["a", "b"] { try makeClip("\(folder)/\(name).mkv", FrameSize(width: 320, height: 240), frames: 30) }
        let script = #""$0" apply "$1/in" -o "$1/out" 2> >(exec true); echo ended $?"#
        let program = try await bash(script, directory.path)
        await program.waitUntilEnded()
        #expect(program.output.contains("ended 0"), "\(program.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("out")).count == 2)
    }

    @Test("ends quietly when nobody reads its output any more; its commands have the usual signals")
    func noReaderOfOutput() async throws {
        let source = "/usr/local/share/facet/astronaut.png"
        let script = #"""
            "$0" watch --source "$1" --loop | head -1; echo ended ${PIPESTATUS[0]}
            "$0" watch enter --source "$1" --count 1 --exec 'grep SigIgn /proc/self/status'
            """#
        let program = try await bash(script, source)
        await program.waitUntilEnded()
        #expect(program.output.contains("ended \(128 + SIGPIPE)\n"), "\(program.output)")
        let ignored = program.output.firstMatch(of: /SigIgn:\t([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) }
        #expect(ignored.map { $0 >> UInt64(SIGPIPE - 1) & 1 } == 0 && !program.output.contains("facet: "))
    }

    @Test("watch passes on the event whose line has no reader any more, and ends then", .enabled(if: hasBroker))
    func noReaderOfEvents() async throws {
        let directory = try TemporaryDirectory()
        let done = directory.file("done")
        let broker = try await MosquittoBroker()
        let script = #"""
            exec 3> >(exec true); wait $!
            "$0" watch smile --mqtt mqtt://127.0.0.1:$2 --exec "echo \$FACET_EVENT >>'$1'" >&3; echo ended $?
            """#
        let program = try await bash(script, done, "\(broker.port)")
        try await broker.waitForLog(" 0 faces/smile")
        let daemon = try daemon(broker)
        publish(encoder.event(event(.smile).event, id: "E1", seq: 1, latency: nil), to: daemon)
        await program.waitUntilEnded()
        #expect(program.output.contains("ended \(128 + SIGPIPE)\n"), "\(program.output)")
        #expect(try String(contentsOfFile: done, encoding: .utf8) == "smile\n")
        _ = await daemon.stop()
    }

    // MARK: - Helpers

    private static let hasBroker = MosquittoBroker.isInstalled

    /// Runs a script with `facet` and arguments. The test's process may ignore SIGPIPE, which would be inherited.
    private func bash(_ script: String, _ arguments: String...) async throws -> ChildProcess {
        try await ChildProcess("/usr/bin/env", ["--default-signal=PIPE", "bash", "-c", script, facet] + arguments)
    }

    /// Starts a watch of smiles with further options, and waits until it has printed three.
    private func watch(_ options: [String]) async throws -> ChildProcess {
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let program = try await ChildProcess(facet, ["watch", "smile", "--mqtt", url] + options)
        try await broker.waitForLog(" 0 faces/smile")
        let daemon = try daemon(broker)
        for number in 1...3 {
            publish(encoder.event(event(.smile).event, id: "E\(number)", seq: number, latency: nil), to: daemon)
        }
        try await program.waitForOutput { $0.ranges(of: "  face 1").count == 3 }
        _ = await daemon.stop()
        return program
    }

    private var streaming: DaemonStatus {
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.detail = "/dev/video0: YUYV 640x480 at 30.0 frames/s"
        return status
    }

    private func daemon(_ broker: MosquittoBroker) throws -> BrokerConnection { try connection(broker, "daemon") }

    private func connection(_ broker: MosquittoBroker, _ name: String) throws -> BrokerConnection {
        let settings = BrokerSettings(host: broker.host, port: broker.port, clientID: name)
        let connection = try BrokerConnection(settings: settings, logger: .silent)
        try connection.start()
        return connection
    }

    private func publish(_ message: Message, to daemon: BrokerConnection) {
        let topic = message.topic.name(under: "faces")
        let isRetained = message.topic.isRetained
        let mqtt = MQTTMessage(topic: topic, payload: message.payload, qos: .atLeastOnce, retain: isRetained)
        message.topic.isEvent ? daemon.publish(event: mqtt) : daemon.publish(state: mqtt)
    }

    /// Whether SIGTERM would not end a program now.
    private func catchesSignal(_ program: ChildProcess) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8),
            let mask = status.firstMatch(of: /SigCgt:\t([0-9a-f]+)/).flatMap({ UInt64($0.1, radix: 16) })
        else { return false }
        return mask >> UInt64(SIGTERM - 1) & 1 == 1
    }

    private func cutClip(in directory: TemporaryDirectory) throws -> String {
        let whole = directory.file("whole.mkv")
        try makeClip(whole, FrameSize(width: 320, height: 240), frames: 60)
        let data = try Data(contentsOf: URL(filePath: whole))
        let clip = directory.file("clip.mkv")
        try data.prefix(data.count * 7 / 10).write(to: URL(filePath: clip))
        return clip
    }

    /// Makes a clip of pictures that all differ.
    private func makeClip(_ path: String, _ size: FrameSize, frames: Int) throws {
        let canvas = try Canvas(pixelSize: size)
        let writer = try ClipWriter(path, size: size, rate: 30)
        for frame in 0..<frames {
            let levels = [7, 11, 13].map { Double(frame % $0) / 14 }
            canvas.clear(Color(red: levels[0], green: levels[1], blue: levels[2]))
            try canvas.withFrame(mediaTime: Double(frame) / 30) { try writer.append($0) }
        }
        try writer.finish()
    }
}
