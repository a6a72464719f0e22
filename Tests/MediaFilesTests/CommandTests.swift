import FaceMetadata
import Foundation
import Frames
import Glibc
import Testing

@testable import MediaFiles

@Suite("Commands as sources", .serialized, .timeLimit(.minutes(2)))
struct CommandTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("MJPEG comes with the times of its arrival, and the command is started again when it ends")
    func mjpeg() throws {
        let jpeg = try scratch.write(TestPicture().jpeg(in: scratch), to: "one.jpg")
        let recording = try record("cat '\(jpeg)' '\(jpeg)' '\(jpeg)'; echo 1 >>'\(scratch.path("starts"))'", frames: 7)
        #expect(recording.isStopped && recording.stream?.format == "mjpeg" && recording.stream?.rate == nil)
        #expect(
            recording.losses.first?.description.contains("it ended; trying again, check the camera and the command")
                == true
        )
        #expect(try String(contentsOfFile: scratch.path("starts"), encoding: .utf8).count >= 4)
        #expect(zip(recording.mediaTimes, recording.mediaTimes.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("YUV4MPEG says its size itself")
    func yuv4mpeg() throws {
        var data = Data("YUV4MPEG2 W64 H48 F30:1 C420\n".utf8)
        for _ in 0..<5 { data += Data("FRAME\n".utf8) + Data(repeating: 90, count: 64 * 48 * 3 / 2) }
        let path = try scratch.write(data, to: "pictures.y4m")
        let recording = try record("cat '\(path)'; exec cat '\(path)'", frames: 4)
        #expect(recording.stream?.size == FrameSize(width: 64, height: 48))
        #expect(recording.formats == [.planarYUV(chromaShiftX: 1, chromaShiftY: 1)])
    }

    @Test(
        "raw pictures have the size and the format that the options say",
        arguments: [PixelFormat.nv12, .yuyv, .gray, .rgb24]
    )
    func raw(format: PixelFormat) throws {
        let size = FrameSize(width: 64, height: 48)
        let bytes = try format.rows(in: size).reduce(0) { $0 + $1.bytes * $1.count }
        var options = FrameSourceOptions()
        options.rawPictures = FrameSourceOptions.RawPictures(size: size, format: format)
        let recording = try record("head -c \(4 * bytes) /dev/zero", options: options, frames: 4)
        #expect(recording.stream?.size == size && recording.formats == [format])
    }

    @Test("a command that writes a picture now and then is played from the first one on")
    func slow() throws {
        let jpeg = try scratch.write(TestPicture().jpeg(in: scratch), to: "one.jpg")
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(1)
        options.stallTimeout = .seconds(10)
        let recording = try record("while cat '\(jpeg)'; do sleep 0.6; done", options: options, frames: 3)
        #expect(recording.isStopped && recording.losses.isEmpty && recording.stamps.count >= 3, "\(recording.losses)")
    }

    @Test("a command that dies is told of with its status and its last line, once, without passwords")
    func dies() throws {
        let command = "echo first >&2; echo '[0:12:34.5] [77] no camera at rtsp://me:word@cam/1' >&2; exit 3"
        #expect(try ClipSource("exec://me:wo@rd@camera").name == "exec:…")
        #expect(try ClipSource("exec:curl -su me:word http://camera").name == "exec:curl")
        #expect(try ClipSource("exec:PASS=word ./camera.sh").name == "exec:…")
        #expect(
            try ClipSource("rtsp://camera/user=me_password=word_channel=1").name == "rtsp://camera/user=me_password=…"
        )
        let source = try ClipSource("exec:" + command)
        let mailbox = source.start()
        let failure = try #require(mailbox.next()?.failure)
        #expect(failure.reason == .unreachable)
        #expect(failure.description.contains("it ended with status 3, saying: no camera at rtsp://cam/1"), "\(failure)")
        #expect(failure.description.contains("exec:echo") && !"\(source.name) \(failure)".contains("word"))
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    /// The failure with which a command's stream begins.
    private func failure(of command: String, _ options: FrameSourceOptions = .init()) throws -> SourceFailure {
        let source = try ClipSource(command, options: options)
        defer { source.stop() }
        return try #require(source.start().next()?.failure)
    }

    @Test("a command that only closes its output is told of as that, not by the signal that we end it with")
    func closesOutput() throws {
        let failure = try failure(of: "exec:echo done >&2; exec >&-; sleep 1000")
        #expect(failure.description.contains("it closed its standard output, saying: done"), "\(failure)")
    }

    @Test("the last line is kept from its beginning, whatever characters it has")
    func wideLine() throws {
        let line = "no camera " + String(repeating: "語", count: 900)
        let failure = try failure(of: "exec:echo '\(line)' >&2; exit 3")
        #expect(failure.description.contains(line), "\(failure)")
    }

    @Test("a chatty command is not held up by what it says, and garbage is no video")
    func garbage() throws {
        let failure = try failure(of: "exec:yes talk | head -c 300000 >&2; yes garbage")
        #expect(failure.description.contains("it writes no known video format, saying: talk"), "\(failure)")
    }

    @Test("a command that writes nothing is given up after the time for opening")
    func silent() throws {
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(0.2)
        let failure = try failure(of: "exec:sleep 1000", options)
        #expect(failure.description.contains("no answer for 0.2 s"), "\(failure)")
    }

    @Test("stop ends the whole group, also what ignores SIGTERM")
    func group() throws {
        let jpeg = try scratch.write(TestPicture().jpeg(in: scratch), to: "one.jpg")
        let path = scratch.path("life")
        try #require(mkfifo(path, 0o600) == 0)
        let life = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(life) }
        // What runs holds the pipe open.
        let recording = try record(
            "exec 9>'\(path)'; trap '' TERM; sleep 1000 & while cat '\(jpeg)'; do sleep 0.02; done",
            frames: 1
        )
        #expect(recording.isStopped)
        var waiting = pollfd(fd: life, events: 0, revents: 0)
        #expect(poll(&waiting, 1, 10_000) == 1 && waiting.revents & Int16(POLLHUP) != 0)
    }

    @Test("stop ends what left the group and closed all its files")
    func leftGroup() throws {
        let jpeg = try scratch.write(TestPicture().jpeg(in: scratch), to: "one.jpg")
        let number = scratch.path("number")
        let daemon = "setsid sh -c 'echo $$ > \"\(number)\"; exec sleep 1000' >/dev/null 2>&1 </dev/null &"
        let recording = try record(
            "\(daemon) until [ -s '\(number)' ]; do :; done; while cat '\(jpeg)'; do sleep 0.02; done",
            frames: 1
        )
        #expect(recording.isStopped)
        let text = try String(contentsOfFile: number, encoding: .utf8)
        let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try #expect(hasEnded(process))
    }

    @Test("a command that a killed daemon left behind is ended before another one starts")
    func orphan() throws {
        let gone = Process()
        gone.executableURL = URL(filePath: "/bin/true")
        try gone.run()
        gone.waitUntilExit()
        let orphan = Process()
        (orphan.executableURL, orphan.arguments) = (URL(filePath: "/bin/sleep"), ["1000"])
        orphan.environment = [CommandMark.variable: "\(gone.processIdentifier).1"]
        try orphan.run()
        let other = Process()
        (other.executableURL, other.arguments) = (URL(filePath: "/bin/sleep"), ["1000"])
        other.environment = [CommandMark.variable: "\(getpid()).0"]
        try other.run()
        _ = try record("cat '\(try scratch.write(TestPicture().jpeg(in: scratch), to: "one.jpg"))'", frames: 1)
        orphan.waitUntilExit()
        #expect(orphan.terminationReason == .uncaughtSignal && orphan.terminationStatus == SIGKILL)
        #expect(other.isRunning, "it belongs to a process that runs")
        kill(other.processIdentifier, SIGKILL)
    }

    /// Whether a process that is not our child has ended: it is gone, or it is a zombie whose parent has not waited for
    /// it.
    private func hasEnded(_ process: pid_t) throws -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return status.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    /// Takes `frames` frames from a command's output.
    private func record(
        _ command: String,
        options: FrameSourceOptions = FrameSourceOptions(),
        frames: Int
    ) throws -> Recording {
        let source = try ClipSource("exec:" + command, options: options)
        return Recording.of(source) { if $0.stamp.frame == frames - 1 { source.stop() } }
    }
}
