import ArgumentParser
import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import OverlayRendering
import Testing
import ToolPictures

@testable import ClipDrawing
@testable import Companion
@testable import facet

/// The commands that draw, run on a clip made on the spot: plain grey, 320×240, ten frames at 10 a second.
@Suite("Pictures and clips without a broker", .serialized, .timeLimit(.minutes(5)))
struct OfflineTests {
    private let directory: TemporaryDirectory
    private let clip: String
    private let metadata: String

    init() throws {
        directory = try TemporaryDirectory()
        clip = directory.file("clip.mp4")
        let canvas = try Canvas(pixelSize: FrameSize(width: 320, height: 240))
        canvas.clear(Color(red: 0.3, green: 0.3, blue: 0.3))
        let writer = try ClipWriter(clip, size: canvas.pixelSize, rate: 10)
        for frame in 0..<10 {
            try canvas.withFrame(mediaTime: Double(frame) / 10) { try writer.append($0) }
        }
        try writer.finish()
        // A face from 0.2 s to 0.8 s that smiles at 0.5 s.
        let smile = FaceEvent(kind: .smile, face: face(), stamp: Self.stamp(5))
        let messages = [
            encoder.metadata([face()], at: Self.stamp(2)), encoder.event(smile, id: "E1", seq: 1, latency: nil),
            encoder.metadata([], at: Self.stamp(8)),
        ]
        let lines = messages.map { String(decoding: $0.line(base: "faces"), as: UTF8.self) }.joined()
        metadata = try directory.write(lines, to: "clip.jsonl")
    }

    private static func stamp(_ frame: Int) -> FrameStamp {
        FrameStamp(frame: frame, time: Timestamp(nanoseconds: 0), mediaTime: Double(frame) / 10)
    }

    private func run(_ arguments: [String]) async throws {
        var command = try Facet.parseAsRoot(arguments + ["--over", clip, "--force"])
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Pixels of a picture that are far from the grey of the ground.
    private func changed(in path: String, at mediaTime: Double = 0) throws -> Int {
        let picture = Picture()
        try picture.update(from: try PictureFile.load(path, at: mediaTime))
        let size = try #require(picture.uprightSize)
        #expect(size == FrameSize(width: 320, height: 240))
        let canvas = try Canvas(pixelSize: size)
        canvas.draw(picture, try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size)))
        return canvas.withPixels { pixels, _ in
            stride(from: 0, to: pixels.count, by: 4).count { abs(Int(pixels[$0 + 1]) - 76) > 60 }
        }
    }

    @Test(
        "a snapshot shows the face in every overlay, as PNG and as JPEG",
        // The others change nothing in a picture of one colour.
        arguments: OverlayName.allCases.filter { !$0.overlay.hidesFaces }.map(\.rawValue) + [exampleOverlay]
    )
    func snapshot(overlay: String) async throws {
        for ending in ["png", "jpg"] {
            let output = directory.file("picture.\(ending)")
            try await run(
                ["snapshot", "-o", output, "--metadata", metadata, "--on", "smile", "--overlay", overlay])
            #expect(try changed(in: output) > 100, "\(ending)")
        }
    }

    @Test("a snapshot follows the time, and leaves the overlay out on request")
    func times() async throws {
        let output = directory.file("picture.png")
        for (time, hasFace) in [("0", false), ("0.2", true), ("0.7", true), ("0.8", false)] {
            try await run(["snapshot", "-o", output, "--metadata", metadata, "--at", time])
            #expect((try changed(in: output) > 100) == hasFace, "\(time)")
        }
        try await run(["snapshot", "-o", output, "--plain", "--at", "0.5"])
        #expect(try changed(in: output) == 0)
        // Without a time: the first face.
        try await run(["snapshot", "-o", output, "--metadata", metadata])
        #expect(try changed(in: output) > 100)
    }

    @Test(
        "a file that is there is replaced only with --force",
        arguments: [["snapshot", "--plain", "a.png"], ["record", "--plain", "a.mp4"], ["report", "a.html"]]
    )
    func present(words: [String]) async throws {
        let output = try directory.write("mine", to: words.last ?? "")
        let input = words[0] == "report" ? [metadata] : []
        for force in [[], ["--force"]] {
            let arguments = words.dropLast() + input + ["-o", output, "--over", clip] + force
            var command = try #require(try Facet.parseAsRoot(Array(arguments)) as? any AsyncParsableCommand)
            if force.isEmpty {
                let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
                #expect(failure?.description.contains(output) == true)
                #expect(failure?.description.contains("--force") == true)
                #expect(try String(contentsOfFile: output, encoding: .utf8) == "mine")
            } else {
                try await command.run()
                #expect(try Data(contentsOf: URL(filePath: output)).count > 4)
            }
        }
    }

    @Test("the same input makes the same picture, byte by byte")
    func reproducible() async throws {
        let files = [directory.file("a.png"), directory.file("b.png")]
        for file in files { try await run(["snapshot", "-o", file, "--metadata", metadata, "--overlay", "santa"]) }
        let contents = try files.map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(contents[0] == contents[1])
    }

    @Test("a recording has all frames, and the face where it was")
    func record() async throws {
        let output = directory.file("out.mp4")
        try await run(["record", "-o", output, "--metadata", metadata, "--overlay", "square"])
        #expect(try changed(in: output, at: 0) == 0)
        #expect(try changed(in: output, at: 0.5) > 100)
        #expect(try changed(in: output, at: 0.9) == 0)
    }

    @Test("a report has pictures of faces, of events and of the place; without a face of what the clip was")
    func report() async throws {
        let output = directory.file("report.html")
        try await run(["report", metadata, "-o", output])
        let page = try String(contentsOfFile: output, encoding: .utf8)
        #expect(
            page.contains("<title>clip.mp4</title>") && page.contains("Best smile") && !page.contains(directory.path)
        )
        #expect(page.ranges(of: "data:image/jpeg;base64,/9j/").count == 3)
        // A clip is recognised even if its name does not say that it is one.
        let copy = directory.file("clip.video")
        try FileManager.default.copyItem(atPath: clip, toPath: copy)
        for input in [clip, copy] {
            var command = try #require(
                try Facet.parseAsRoot(["report", input, "-o", output, "--force"]) as? any AsyncParsableCommand
            )
            try await command.run()
            let empty = try String(contentsOfFile: output, encoding: .utf8)
            #expect(empty.contains("No face was seen") && empty.contains("class=\"scene\"><img src=\"data:image/jpeg"))
        }
    }

    @Test("what a command prints of others acts on no terminal, and is the same JSON")
    func hostileName() async throws {
        let name = "\u{7F}\u{9B}31m\u{202E}front"
        let path = directory.file("hostile.jsonl")
        let message = MessageEncoder(camera: name, boot: "R").metadata([face()], at: Self.stamp(2))
        try Data(message.line(base: "faces")).write(to: URL(filePath: path))
        let program = try await ChildProcess(BuildProducts.program("facet"), ["report", path, "--json"])
        await program.waitUntilEnded()
        let lines = program.output.split(separator: "\n").filter { !$0.hasPrefix("status ") }
        let text = lines.joined(separator: "\n")
        let hasControls = text.unicodeScalars.contains { "\u{7F}\u{9B}\u{202E}".unicodeScalars.contains($0) }
        #expect(lines.count > 20 && !hasControls, "\(text)")
        let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(report?["title"] as? String == name)
    }

    @Test("messages about another clip are refused, and nothing is left")
    func otherClip() async throws {
        let late = encoder.metadata(
            [face()],
            at: FrameStamp(frame: 900, time: Timestamp(nanoseconds: 0), mediaTime: 30)
        )
        let other = try directory.write(String(decoding: late.line(base: "faces"), as: UTF8.self), to: "other.jsonl")
        let output = directory.file("out.mp4")
        await #expect(throws: CommandFailure.self) { try await run(["record", "-o", output, "--metadata", other]) }
        #expect(!FileManager.default.fileExists(atPath: output))
        await #expect(throws: SourceFailure.self) {
            try await run(["snapshot", "-o", directory.file("a.png"), "--metadata", other])
        }
        await #expect(throws: CommandFailure.self) {
            try await run(["snapshot", "-o", directory.file("a.png"), "--metadata", metadata, "--on", "blink"])
        }
    }

    @Test("messages that name another source get a warning, those of a clip without faces are drawn")
    func otherSource() async throws {
        func lines(_ detail: String, width: Int = 320, height: Int = 240, _ name: String) throws -> String {
            var status = DaemonStatus(state: .online, cameraState: .streaming)
            status.detail = detail
            status.picture = detail.hasPrefix("rtsp") ? nil : .init(width: width, height: height)
            let line = String(decoding: encoder.status(status).line(base: "faces"), as: UTF8.self)
            return try directory.write(line, to: name)
        }
        let own = URL(filePath: clip).lastPathComponent
        for (detail, width, warning) in [
            ("/x/\(own): h264 320x240 at 30.0 frames/s", 320, nil), ("/x/\(own): h264", 640, "another clip's"),
            ("/x/other.mp4: h264 320x240", 320, "another name of it"), ("rtsp://host/live", 320, nil),
        ] {
            let file = try lines(detail, width: width, "status.jsonl")
            let track = try MessageTrack(rows: [try String(contentsOfFile: file, encoding: .utf8)])
            let note = track.mismatch(with: clip)
            #expect(warning.map { note?.contains($0) == true } ?? (note == nil), "\(detail): \(note ?? "nil")")
        }
        // A photo that EXIF turns: one directory with one entry, tag 0x0112.
        let photo = directory.file("photo.jpg")
        try PictureWriter.write(PictureFile.load(clip), to: photo)
        let exif = Array("Exif\0\0MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{6}\0\0\0\0\0\0".utf8)
        let plain = try Data(contentsOf: URL(filePath: photo))
        let segment = Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif)
        try (plain.prefix(2) + segment + plain.dropFirst(2)).write(to: URL(filePath: photo))
        for (width, height) in [(240, 320), (320, 240)] {
            let file = try lines("/x/photo.jpg: mjpeg 320x240", width: width, height: height, "photo.jsonl")
            let track = try MessageTrack(rows: [try String(contentsOfFile: file, encoding: .utf8)])
            #expect((track.mismatch(with: photo) == nil) == (width == 240), "\(width)x\(height)")
        }
        // No metadata message: the clip has no face.
        let output = directory.file("empty.png")
        try await run(["snapshot", "-o", output, "--metadata", try lines("/x/\(own): h264 320x240", "empty.jsonl")])
        #expect(try changed(in: output) == 0)
    }

    @Test("a text file is one that everybody may read from its beginning, and follows no link")
    func outputFile() throws {
        let path = directory.file("page.html")
        let before = umask(0o022)
        defer { umask(before) }
        try OutputPath.write("one", to: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
        // A link that another user puts there is replaced, and what it leads to stays.
        let link = directory.file("link.html")
        #expect(symlink(path, link) == 0)
        try OutputPath.write("two", to: link)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
        #expect(try String(contentsOfFile: link, encoding: .utf8) == "two")
        #expect(throws: CommandFailure.self) { try OutputPath.write("three", to: directory.file("none/page.html")) }
    }

    @Test("a preview picture is decoded; a damaged one and a bomb are refused, and the one before stays")
    func preview() throws {
        let canvas = try Canvas(pixelSize: FrameSize(width: 48, height: 32))
        let path = directory.file("a.jpg")
        try canvas.write(to: path)
        let jpeg = Array(try Data(contentsOf: URL(filePath: path)))
        let decoder = try PreviewDecoder()
        func picture(_ jpeg: [UInt8]) -> PreviewPicture { PreviewPicture(content: .jpeg(jpeg)) }
        try decoder.decode(picture(jpeg))
        #expect(decoder.picture.uprightSize == FrameSize(width: 48, height: 32))
        #expect(throws: (any Error).self) { try decoder.decode(picture(Array(jpeg.prefix(60)))) }
        // The height and the width in the header of the frame (ITU-T T.81, B.2.2).
        var bomb = jpeg
        let header = try #require(bomb.indices.first { bomb[$0] == 0xFF && bomb[$0 + 1] == 0xC0 })
        // TurboJPEG itself refuses more than 65,500: 65,023 must be refused by the limit.
        for offset in [5, 7] { (bomb[header + offset], bomb[header + offset + 1]) = (0xFD, 0xFF) }
        #expect(throws: JPEGError.tooLarge(FrameSize(width: 65023, height: 65023), limit: 40_000_000)) {
            try decoder.decode(picture(bomb))
        }
        #expect(decoder.picture.uprightSize == FrameSize(width: 48, height: 32))
    }

    @Test("a snapshot of a clip is the first picture in which a face has entered, else its first one")
    func snapshotOfClip() async throws {
        let portrait = try PictureFile.load("/usr/local/share/facet/astronaut.png")
        let size = portrait.uprightSize
        for (dark, bright) in [(30, 60), (60, 0)] {
            let clip = directory.file("clip\(dark).mp4")
            let output = directory.file("out\(dark).png")
            let writer = try ClipWriter(clip, size: size)
            for number in 0..<dark + bright {
                let stamp = FrameStamp(frame: number, time: .wallClock(), mediaTime: Double(number) / 30)
                var frame = portrait
                if number < dark {
                    let black = [UInt8](repeating: 0, count: 3 * size.width * size.height)
                    frame = try Frame(copying: black, size: size, format: .rgb24, stamp: stamp)
                }
                frame.stamp = stamp
                try writer.append(frame)
            }
            try writer.finish()
            let snapshot = try #require(
                try Facet.parseAsRoot(["snapshot", "--source", clip, "--plain", "-o", output, "--force"]) as? Snapshot
            )
            try await snapshot.run()
            let picture = try RGBPicture(try PictureFile.load(output)).bytes
            #expect((picture.reduce(0) { $0 + Int($1) } > 20 * picture.count) == (bright > 0), "\(dark)")
        }
    }
}
