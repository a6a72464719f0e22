import CFFmpeg
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Network streams", .serialized, .enabled(if: LocalServer.isPossible), .timeLimit(.minutes(5)))
struct NetworkStreamTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("a clip on a server is played like a file")
    func clip() throws {
        try TestPicture.writeClip(scratch.path("clip.mp4"))
        let server = try LocalServer(.files, directory: scratch.directory)
        let recording = try Recording.of("http://user:secret@127.0.0.1:\(server.port)/clip.mp4?token=1")
        #expect(recording.isFinished && recording.stamps.count == 30, "\(recording.losses)")
        #expect(recording.stream?.name == "http://127.0.0.1:\(server.port)/clip.mp4")
    }

    /// What is wrong with a server's certificate.
    enum Fault: CaseIterable { case unknownAuthority, expired, otherHost }

    @Test(
        "a certificate of an unknown authority, expired or of another host is refused with the reason, unless for an exception",
        .enabled(if: TestCertificates.areAvailable, "OpenSSL is not installed"),
        arguments: Fault.allCases
    )
    func certificate(_ fault: Fault) throws {
        try TestPicture.writeClip(scratch.path("clip.mp4"))
        let authority = try TestCertificates()
        let leaf = try authority.leaf(
            for: fault == .otherHost ? "camera.example" : "127.0.0.1",
            isExpired: fault == .expired
        )
        let server = try LocalServer(.files, directory: scratch.directory, certificate: leaf)
        let address = "https://127.0.0.1:\(server.port)/clip.mp4"
        var options = FrameSourceOptions(pace: .asap)
        // This machine does not know the authority that signed the certificate.
        options.certificateAuthority = fault == .unknownAuthority ? nil : authority.authority
        let source = try ClipSource(address, options: options)
        let mailbox = source.start()
        let failure = try #require(mailbox.next()?.failure)
        #expect(failure.reason == .unreachable, "\(failure)")
        let reason = fault == .otherHost ? "does not match" : "certificate failed verification"
        #expect(
            failure.description.contains(reason)
                && failure.description.contains("or set camera.verifyCertificate: false"),
            "\(failure)"
        )
        source.stop()
        #expect(mailbox.next()?.isStop == true)
        options.verifiesCertificate = false
        let exception = try Recording.of(address, options: options)
        #expect(exception.isFinished && exception.stamps.count == 30)
    }

    @Test(
        "a server whose certificate is signed by the authority of the settings is read, and a missing file of that is told",
        .enabled(if: TestCertificates.areAvailable, "OpenSSL is not installed")
    )
    func ownAuthority() throws {
        try TestPicture.writeClip(scratch.path("clip.mp4"))
        let authority = try TestCertificates()
        let leaf = try authority.leaf(for: "127.0.0.1")
        let server = try LocalServer(.files, directory: scratch.directory, certificate: leaf)
        let address = "https://127.0.0.1:\(server.port)/clip.mp4"
        var options = FrameSourceOptions(pace: .asap)
        options.certificateAuthority = authority.authority
        let recording = try Recording.of(address, options: options)
        #expect(recording.isFinished && recording.stamps.count == 30)
        options.certificateAuthority = scratch.path("none.pem")
        let source = try ClipSource(address, options: options)
        let mailbox = source.start()
        let failure = try #require(mailbox.next()?.failure)
        #expect(failure.description.contains("none.pem, cannot be read (No such file"), "\(failure)")
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test(
        "a certificate that FFmpeg cannot check is refused, with the ways out",
        .enabled(if: LIBAVFORMAT_VERSION_MAJOR < 63)
    )
    func unchecked() throws {
        let source = try ClipSource("rtsps://127.0.0.1:9/main")
        let mailbox = source.start()
        let failure = try #require(mailbox.next()?.failure)
        #expect(failure.reason == .unsupported && failure.description.contains("camera.verifyCertificate: false"))
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test("what is not there is told once, and tried again until it is stopped")
    func notThere() throws {
        let server = try LocalServer(.files, directory: scratch.directory)
        let source = try ClipSource("http://user:secret@127.0.0.1:\(server.port)/none.mp4")
        let mailbox = source.start()
        let failure = try #require(mailbox.next()?.failure)
        #expect(failure.reason == .unreachable && failure.description.contains("/none.mp4"))
        #expect(!failure.description.contains("secret"))
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test("a stream without a picture never counts as streaming, and is told of once")
    func withoutPictures() throws {
        _ = try scratch.write(Matroska().data, to: "dead.mkv")
        let server = try LocalServer(.files, directory: scratch.directory)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/dead.mkv")
        let mailbox = source.start()
        #expect(mailbox.next()?.failure?.reason == .streamLost)
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test("stop ends a read from a server that is silent")
    func silence() throws {
        let server = try LocalServer(.silence, directory: scratch.directory)
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(3600)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = source.start()
        // The server says that the request came: the source is reading now.
        #expect(server.readLine() == "request")
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test("a silent server is a loss when the time is over")
    func timeout() throws {
        let server = try LocalServer(.silence, directory: scratch.directory)
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(0.2)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let failure = source.start().next()?.failure
        #expect(failure?.description.contains("no answer for 0.2 s") == true)
        source.stop()
    }

    @Test("a live stream that breaks off is lost, comes back, and its stamps go on growing")
    func reconnects() throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.live, directory: scratch.directory)
        let recording = try live("http://127.0.0.1:\(server.port)/live", frames: 13)
        #expect(recording.isStopped && recording.losses.first?.reason == .streamLost)
        #expect(recording.stamps.map(\.frame) == Array(0..<recording.stamps.count))
        #expect(zip(recording.mediaTimes, recording.mediaTimes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(recording.stream?.format == "mjpeg" && recording.stream?.rate == nil)
    }

    @Test("a stream that turns to noise is lost as undecodable, though data comes", arguments: [3, 0])
    func noise(good: Int) throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.noise(after: good), directory: scratch.directory)
        var options = FrameSourceOptions()
        options.stallTimeout = .seconds(0.3)
        options.openTimeout = .seconds(0.5)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = source.start()
        var frames = 0
        var lost = SourceFailure?.none
        while lost == nil, let event = mailbox.next() {
            if case .frame = event { frames += 1 }
            lost = event.failure
        }
        #expect(lost?.reason == .undecodable, "\(String(describing: lost))")
        #expect(good > 0 ? (1...good).contains(frames) : frames == 0)
        source.stop()
        mailbox.close()
    }

    @Test("a stream that stops sending is lost with the time that was waited")
    func stalled() throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.stall, directory: scratch.directory)
        var options = FrameSourceOptions()
        options.stallTimeout = .seconds(0.3)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = source.start()
        var lost: SourceFailure?
        while lost == nil, let event = mailbox.next() { lost = event.failure }
        #expect(
            lost?.reason == .streamLost && lost?.description.contains("no data for 0.3 s") == true,
            "\(lost as Any)"
        )
        source.stop()
        mailbox.close()
    }

    @Test("the setting for the wait is named only where it decided how long the wait was")
    func decidedWait() throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.stall, directory: scratch.directory)
        let location = try MediaLocation("http://127.0.0.1:\(server.port)/live")
        let interrupt = Interrupt()
        let input = try MediaInput(location, interrupt: interrupt, options: FrameSourceOptions())
        let queue = try PacketQueue(input, interrupt: interrupt)
        func end(_ patience: Duration, most: Duration) -> String {
            while true { if case .ended(let reason) = queue.next(patience: patience, most: most) { return reason } }
        }
        for _ in 0..<5 { _ = queue.next(patience: .seconds(10), most: .zero) }
        #expect(end(.milliseconds(200), most: .zero) == "no data for 0.2 s, which camera.stallTimeout sets")
        let reason = end(.zero, most: .seconds(10))
        #expect(reason.hasPrefix("no data for ") && !reason.contains("camera.stallTimeout"), "\(reason)")
    }

    @Test("a picture without an end is given up before it fills the memory", arguments: [0, 3])
    func flood(good: Int) throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.flood(after: good), directory: scratch.directory)
        var options = FrameSourceOptions()
        options.openTimeout = .seconds(60)
        options.stallTimeout = .seconds(60)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live", options: options)
        let mailbox = source.start()
        var lost: SourceFailure?
        while lost == nil, let event = mailbox.next() { lost = event.failure }
        #expect(lost?.description.contains("64 MiB came without a picture") == true, "\(lost as Any)")
        source.stop()
        mailbox.close()
    }

    @Test("pictures that are too large end a stream at once, and stop is not held up")
    func bomb() throws {
        var jpeg = try TestPicture().jpeg(in: scratch)
        jpeg.setJPEGSize(FrameSize(width: 16_000, height: 16_000))
        _ = try scratch.write(jpeg, to: "live.jpg")
        let server = try LocalServer(.live, directory: scratch.directory)
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live")
        let mailbox = source.start()
        let failure = mailbox.next()?.failure
        #expect(
            failure?.reason == .undecodable && failure?.description.contains("16000x16000") == true,
            "\(failure as Any)"
        )
        source.stop()
        #expect(mailbox.next()?.isStop == true)
    }

    @Test(
        "what browsers show is played, whatever a camera writes around its pictures",
        arguments: LocalServer.Framing.allCases
    )
    func framing(_ framing: LocalServer.Framing) throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.framed(framing), directory: scratch.directory)
        let recording = try live("http://127.0.0.1:\(server.port)/live", frames: 12)
        #expect(recording.losses.isEmpty && recording.stamps.count >= 12, "\(recording.losses)")
        #expect(recording.counts.dropped[.corrupt] == nil && recording.stream?.size == TestPicture().size)
    }

    @Test("an address that gives one picture at each request is asked again", arguments: ["jpg", "png"])
    func snapshots(ending: String) throws {
        let path = scratch.path("one." + ending)
        try PictureWriter.write(TestPicture().frame(), to: path)
        let server = try LocalServer(.files, directory: scratch.directory)
        let small = TestPicture(size: FrameSize(width: 80, height: 60))
        var options = FrameSourceOptions()
        options.requestRate = 50
        let source = try ClipSource("http://127.0.0.1:\(server.port)/one.\(ending)", options: options)
        let recording = Recording.of(source) { frame in
            // Half written it may be asked for too.
            if frame.stamp.frame == 2 { try? PictureWriter.write(small.frame(), to: path) }
            if frame.size == small.size || frame.stamp.frame == 100 { source.stop() }
        }
        #expect(recording.isStopped && recording.stamps.count < 100, "\(recording.losses)")
    }

    @Test("an answer that is no picture is called what it is, and a login is named where one is refused")
    func answers() throws {
        _ = try scratch.write(Data("<html><form>Log in</form></html>".utf8), to: "page.html")
        _ = try scratch.write(Data("{\"error\": 1}".utf8), to: "error.json")
        _ = try scratch.write(Data(), to: "empty")
        let server = try LocalServer(.files, directory: scratch.directory)
        let words = ["page.html": "a web page", "error.json": "JSON", "empty": "empty", "none": "404"]
        for (name, word) in words {
            let source = try ClipSource("http://127.0.0.1:\(server.port)/\(name)")
            let mailbox = source.start()
            let failure = try #require(mailbox.next()?.failure)
            #expect(failure.description.contains(word) && !failure.description.contains("password"), "\(failure)")
            source.stop()
            mailbox.close()
        }
    }

    @Test("pictures that come in bursts are shown one by one, at their own times")
    func bursts() throws {
        let room = try RoomStream()
        try room.write("live.ts", numbers: 0..<75)
        let server = try LocalServer(.bursts(5, pause: 0.6), directory: room.scratch.directory)
        var dues: [ContinuousClock.Instant] = []
        let source = try ClipSource("http://127.0.0.1:\(server.port)/live")
        let recording = Recording.of(source) { frame in
            #expect(frame.captured <= .now, "it is shown before its time")
            dues.append(frame.captured)
            if frame.stamp.frame == 69 { source.stop() }
        }
        #expect(recording.losses.isEmpty, "\(recording.losses)")
        let steps = zip(dues, dues.dropFirst()).map { $0.duration(to: $1) / .seconds(1) }
        // Those of FFmpeg's first look may have come any time before.
        let uneven = steps.dropFirst(15).filter { abs($0 - 0.04) > 0.02 }
        #expect(uneven.count <= 1, "\(steps)")
    }

    @Test("frames of a stream without times have those of their arrival, not 25 a second")
    func arrivalTimes() throws {
        _ = try scratch.write(TestPicture().jpeg(in: scratch), to: "live.jpg")
        let server = try LocalServer(.live, directory: scratch.directory)
        let before = (clock: ContinuousClock.now, wall: Timestamp.wallClock())
        // The server sends its ten pictures at once: at 25 a second they would be of times to come.
        _ = try live("http://127.0.0.1:\(server.port)/live", frames: 10) { frame in
            #expect(before.clock.duration(to: frame.captured) >= .seconds(frame.stamp.mediaTime))
            #expect(frame.stamp.time >= before.wall && frame.stamp.time <= Timestamp.wallClock())
        }
    }

    @Test("frames of a live stream keep their distances, and their wall-clock time is that of their arrival")
    func liveTimes() throws {
        let jpeg = try TestPicture().jpeg(in: scratch)
        let file = Matroska(pictures: [0, 1000, 3000].map { .init(jpeg: jpeg, time: $0) })
        _ = try scratch.write(file.data, to: "live.mkv")
        let server = try LocalServer(.files, directory: scratch.directory)
        let before = Timestamp.wallClock()
        let recording = try live("http://127.0.0.1:\(server.port)/live.mkv", frames: 3) { frame in
            #expect(frame.stamp.time >= before && frame.stamp.time <= Timestamp.wallClock())
        }
        #expect(recording.mediaTimes.prefix(3) == [0, 1, 3])
        // Not the thousand ticks of the container's clock.
        #expect(recording.stream?.rate == nil)
    }

    /// Takes a number of frames from a live stream, which has no end.
    private func live(
        _ address: String,
        frames: Int,
        visit: @escaping (Frame) -> Void = { _ in }
    ) throws -> Recording {
        let source = try ClipSource(address)
        return Recording.of(source) { frame in
            visit(frame)
            if frame.stamp.frame == frames - 1 { source.stop() }
        }
    }
}

extension SourceEvent {
    /// The failure, if a loss is told.
    var failure: SourceFailure? {
        if case .lost(let failure) = self { failure } else { nil }
    }

    /// Whether it is the end that was asked for.
    var isStop: Bool {
        if case .ended(.stopped) = self { true } else { false }
    }
}
