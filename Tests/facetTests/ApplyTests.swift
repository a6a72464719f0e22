import ArgumentParser
import CompanionTestSupport
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

@Suite("Files in, files with the overlay out", .timeLimit(.minutes(5)))
struct ApplyTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func apply(_ arguments: [String], replaces: Bool = true) async throws {
        let force = replaces ? ["--force"] : []
        let command = try #require(try Facet.parseAsRoot(["apply"] + arguments + force) as? Apply)
        try await command.run()
    }

    /// The picture at a time of a file, drawn on a canvas of its size.
    private func pixels(of path: String, at mediaTime: Double = 0) throws -> [UInt8] {
        let picture = Picture()
        try picture.update(from: try PictureFile.load(path, at: mediaTime))
        let size = try #require(picture.uprightSize)
        let canvas = try Canvas(pixelSize: size)
        canvas.draw(picture, try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size)))
        return canvas.withPixels { pixels, _ in Array(pixels) }
    }

    private func difference(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).count { abs(Int($0) - Int($1)) > 60 }
    }

    @Test("a stream is no file to draw over, and the error says how to make one of it")
    func stream() async throws {
        let output = directory.file("a.mp4")
        let failure = await #expect(throws: CommandFailure.self) {
            try await apply(["http://127.0.0.1:1/stream", "-o", output])
        }
        #expect(failure?.description.contains("facet record --plain --source ADDRESS") == true, "\(failure as Any)")
    }

    @Test("the output is named after the overlay where no name is given, and replaces a file only with --force")
    func defaultOutput() async throws {
        let picture = directory.file("a.png")
        try Canvas(pixelSize: FrameSize(width: 32, height: 32)).write(to: picture)
        let output = directory.file("a.santa.png")
        try await apply([picture, "--overlay", "santa"], replaces: false)
        #expect(FileManager.default.fileExists(atPath: output))
        try Data("mine".utf8).write(to: URL(filePath: output))
        for named in [[], ["-o", output]] {
            let arguments = [picture, "--overlay", "santa"] + named
            let failure = await #expect(throws: CommandFailure.self) { try await apply(arguments, replaces: false) }
            #expect(failure?.description.contains("a.santa.png: there is a file of that name") == true)
            #expect(failure?.description.contains("--force") == true)
        }
        #expect(try Data(contentsOf: URL(filePath: output)) == Data("mine".utf8))
        try await apply([picture, "-o", output])
        #expect(try Data(contentsOf: URL(filePath: output)) != Data("mine".utf8))
        let directory = OverlayJob.output(for: "/nowhere/holidays/", .file("party.yaml"))
        #expect(directory == "/nowhere/holidays.party")
        #expect(OverlayJob.output(for: "/nowhere/a.mpg", .builtIn(.box)) == "/nowhere/a.box.mpg.mp4")
        #expect(OverlayJob.output(for: "/nowhere/a.webp", .builtIn(.box)) == "/nowhere/a.box.webp.png")
    }

    @Test("what lies beside pictures in a directory and is none is passed over, and keeps none from being drawn over")
    func besides() async throws {
        try FileManager.default.createDirectory(atPath: directory.file("in/b.jpg"), withIntermediateDirectories: true)
        try Canvas(pixelSize: FrameSize(width: 32, height: 32)).write(to: directory.file("in/a.png"))
        for name in ["._a.png", ".trashed-1-c.jpg", ".DS_Store"] {
            try Data("Mac OS X".utf8).write(to: URL(filePath: directory.file("in/" + name)))
        }
        #expect(mkfifo(directory.file("in/d.mp4"), 0o600) == 0)
        try await apply([directory.file("in"), "-o", directory.file("out")])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("out")) == ["a.png"])
        // A file that should be a picture and is none is an error as before.
        try Data().write(to: URL(filePath: directory.file("in/e.jpg")))
        await #expect(throws: CommandFailure.self) {
            try await apply([directory.file("in"), "-o", directory.file("out")])
        }
    }

    @Test("what was erased by transparency stays so: transparent in a PNG, white elsewhere")
    func erased() async throws {
        let size = FrameSize(width: 64, height: 64)
        let input = directory.file("in.png")
        // Blue on the left; on the right nothing, which is white.
        let row = (0..<64).flatMap { $0 < 32 ? [0, 0, 255, 255] : [255, 255, 255, 0] as [UInt8] }
        let bytes = (0..<64).flatMap { _ in row }
        var picture = try Frame(copying: bytes, size: size, format: .rgba, stamp: .unset)
        picture.hasOpacity = true
        try PictureWriter.write(picture, to: input)
        for ending in ["png", "jpg", "mp4"] {
            let output = directory.file("out." + ending)
            try await apply([input, "-o", output, "--overlay", "box"])
            let frame = try PictureFile.load(output)
            #expect(frame.hasOpacity == (ending == "png"))
            let (pixels, _) = try frame.rgb()
            let left = Array(pixels[(32 * 64 + 8) * 3..<(32 * 64 + 9) * 3])
            let right = Array(pixels[(32 * 64 + 48) * 3..<(32 * 64 + 49) * 3])
            #expect(left[0] < 30 && left[2] > 220 && right.allSatisfy { $0 > 240 }, "\(ending): \(left) \(right)")
        }
    }

    @Test("progress is shown with the share that is done and the time that is left, where the clip's length is known")
    func progress() {
        #expect(OverlayRecorder.progress(2.5, 75, of: 10, after: 3) == "2.5 s, 75 frames, 25%, 9 s left")
        #expect(OverlayRecorder.progress(2.5, 75, of: nil, after: 3) == "2.5 s, 75 frames")
        #expect(OverlayRecorder.progress(0, 1, of: 10, after: 3) == "0.0 s, 1 frame")
    }

    @Test("the input is never overwritten, by whatever name")
    func input() async throws {
        let picture = directory.file("a.png")
        try Canvas(pixelSize: FrameSize(width: 32, height: 32)).write(to: picture)
        let before = try Data(contentsOf: URL(filePath: picture))
        try FileManager.default.createSymbolicLink(atPath: directory.file("b.png"), withDestinationPath: picture)
        for output in [picture, directory.file("b.png"), directory.file("./a.png")] {
            await #expect(throws: CommandFailure.self) { try await apply([picture, "-o", output]) }
        }
        let clip = directory.file("c.mp4")
        try Data("not a clip".utf8).write(to: URL(filePath: clip))
        let record = try #require(
            try Facet.parseAsRoot(["record", "--over", clip, "--plain", "-o", clip]) as? Record
        )
        await #expect(throws: CommandFailure.self) { try await record.run() }
        #expect(try Data(contentsOf: URL(filePath: picture)) == before)
        #expect(try Data(contentsOf: URL(filePath: clip)) == Data("not a clip".utf8))
    }

    @Test(
        "a clip gets the overlay in every frame that has a face, in one step",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func clip() async throws {
        let input = DevelopmentClips.path("pyfeat/single_face.mp4")
        let output = directory.file("out.mp4")
        try await apply([input, "-o", output, "--overlay", "santa"])
        for time in [0.5, 1, 1.5] {
            #expect(difference(try pixels(of: input, at: time), try pixels(of: output, at: time)) > 1000, "\(time)")
        }
    }

    @Test(
        "a picture and a directory of pictures get the overlay",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func pictures() async throws {
        let input = DevelopmentClips.path("pyfeat/multi_face.jpg")
        try await apply([input, "-o", directory.file("out.png"), "--overlay", "hearts"])
        #expect(difference(try pixels(of: input), try pixels(of: directory.file("out.png"))) > 1000)
        try FileManager.default.createDirectory(atPath: directory.file("in"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: input, toPath: directory.file("in/a.jpg"))
        try Data("broken".utf8).write(to: URL(filePath: directory.file("in/b.jpg")))
        // One damaged file is reported, and does not keep the others from being drawn.
        await #expect(throws: CommandFailure.self) {
            try await apply([directory.file("in"), "-o", directory.file("out")])
        }
        #expect(FileManager.default.fileExists(atPath: directory.file("out/a.jpg")))
        #expect(!FileManager.default.fileExists(atPath: directory.file("out/b.jpg")))
    }

    @Test(
        "a clip in a format that is only read becomes an .mp4 beside its name",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func readableClip() async throws {
        try FileManager.default.createDirectory(atPath: directory.file("in"), withIntermediateDirectories: true)
        let clip = DevelopmentClips.path("pyfeat/single_face.mp4")
        try FileManager.default.copyItem(atPath: clip, toPath: directory.file("in/a.TS"))
        try Data("notes".utf8).write(to: URL(filePath: directory.file("in/a.txt")))
        try await apply([directory.file("in"), "-o", directory.file("out")])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("out")) == ["a.TS.mp4"])
        #expect(difference(try pixels(of: clip, at: 1), try pixels(of: directory.file("out/a.TS.mp4"), at: 1)) > 100)
    }

    @Test("a picture of a clip is its first one, however slow the clip is")
    func slowClip() async throws {
        let clip = directory.file("slow.mp4")
        let canvas = try Canvas(pixelSize: FrameSize(width: 64, height: 64))
        let writer = try ClipWriter(clip, size: canvas.pixelSize, rate: 2)
        for number in 0..<10 {
            canvas.clear(number == 0 ? .white : .black)
            try canvas.withFrame(mediaTime: Double(number) / 2) { try writer.append($0) }
        }
        try writer.finish()
        let output = directory.file("first.png")
        try await apply([clip, "-o", output])
        #expect(difference(try pixels(of: output), try pixels(of: clip)) < 1000)
    }

    /// A picture with 24 portraits, and the places of their middles.
    private func crowd() throws -> (path: String, places: [(x: Int, y: Int)]) {
        let cell = 260
        let columns = 6
        let rows = 4
        let size = FrameSize(width: cell * columns, height: cell * rows)
        var pixels = [UInt8](repeating: 90, count: 3 * size.width * size.height)
        let portraits = DevelopmentClips.path("smiles")
        let names = try FileManager.default.contentsOfDirectory(atPath: portraits).filter { $0.hasSuffix(".jpg") }
            .sorted()
        var places: [(x: Int, y: Int)] = []
        for index in 0..<24 {
            let portrait = try RGBPicture(try PictureFile.load(portraits + "/" + names[index * names.count / 24]))
            let (left, top) = (cell * (index % columns), cell * (index / columns))
            let (width, height) = (min(cell - 20, portrait.size.width), min(cell - 20, portrait.size.height))
            for row in 0..<height {
                let source = 3 * row * portrait.size.width
                let target = 3 * ((top + row) * size.width + left)
                pixels[target..<target + 3 * width] = portrait.bytes[source..<source + 3 * width]
            }
            places.append((left + width / 2, top + height / 2))
        }
        let path = directory.file("crowd.png")
        let stamp = FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
        try PictureWriter.write(try Frame(copying: pixels, size: size, format: .rgb24, stamp: stamp), to: path)
        return (path, places)
    }

    @Test(
        "an overlay that hides faces hides all 24 of a picture; with fewer allowed it says so, and --strict writes nothing",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func crowdIsHidden() async throws {
        let (input, places) = try crowd()
        let output = directory.file("hidden.png")
        try await apply([input, "-o", output, "--overlay", "silhouette"])
        let before = try pixels(of: input)
        let after = try pixels(of: output)
        for place in places {
            let pixel = 4 * (place.y * 260 * 6 + place.x)
            #expect((0..<3).contains { abs(Int(before[pixel + $0]) - Int(after[pixel + $0])) > 3 }, "\(place)")
        }
        await #expect(throws: ExitCode(3)) {
            try await apply([input, "-o", output, "--overlay", "box", "--maximum-faces", "8"])
        }
        let strict = directory.file("strict.png")
        await #expect(throws: CommandFailure.self) {
            try await apply([input, "-o", strict, "--overlay", "box", "--maximum-faces", "8", "--strict"])
        }
        #expect(!FileManager.default.fileExists(atPath: strict))
    }

    /// A picture of the development clips upside down, as a PNG.
    private func upsideDown(_ name: String) throws -> Frame {
        var frame = try PictureFile.load(DevelopmentClips.path(name))
        frame.orientation = .down
        let (pixels, size) = try frame.rgb()
        return try Frame(copying: pixels, size: size, format: .rgb24, stamp: frame.stamp)
    }

    @Test(
        "in a picture upside down faces are hidden even if something in it is taken for one upright",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func turnedPicture() async throws {
        let input = directory.file("turned.png")
        // People at a table; upside down, something has a mesh upright.
        let frame = try upsideDown("stills/2008_002079.jpg")
        try PictureWriter.write(frame, to: input)
        let output = directory.file("hidden.png")
        try await apply([input, "-o", output, "--overlay", "silhouette"])
        let before = try pixels(of: input)
        let after = try pixels(of: output)
        let width = frame.size.width
        // The middles of faces; the last one was bare.
        for (x, y) in [(443, 160), (134, 220), (71, 191), (363, 223)] {
            let pixel = 4 * (y * width + x)
            #expect((0..<3).contains { abs(Int(before[pixel + $0]) - Int(after[pixel + $0])) > 3 }, "\(x) \(y)")
        }
    }

    @Test(
        "a clip with a face upside down has a warning that names the option with which it is hidden",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func turnedClip() async throws {
        let clip = directory.file("turned.mp4")
        var frame = try upsideDown("stills/2008_002506.jpg")
        let writer = try ClipWriter(clip, size: frame.size, rate: 2)
        for number in 0..<4 {
            frame.stamp.mediaTime = Double(number) / 2
            try writer.append(frame)
        }
        try writer.finish()
        let output = directory.file("hidden.mp4")
        await #expect(throws: ExitCode(3)) { try await apply([clip, "-o", output, "--overlay", "blur"]) }
        try await apply([clip, "-o", output, "--overlay", "blur", "--turned"])
    }

    @Test(
        "a face is hidden from the first frame on, and nothing is drawn after a cut",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func lookingAhead() async throws {
        // A face until 2.37 s, then a black picture and a cartoon.
        let input = DevelopmentClips.path("pyfeat/face_noface.mov")
        let output = directory.file("ahead.mp4")
        try await apply([input, "-o", output, "--overlay", "silhouette"])
        for time in [0, 0.04, 0.07, 0.1, 1, 2.35] {
            #expect(difference(try pixels(of: input, at: time), try pixels(of: output, at: time)) > 10_000, "\(time)")
        }
        try await apply([input, "-o", output, "--overlay", "santa"])
        #expect(difference(try pixels(of: input), try pixels(of: output)) > 1000)
        for time in [2.41, 2.5, 2.7, 3.0] {
            #expect(difference(try pixels(of: input, at: time), try pixels(of: output, at: time)) < 100, "\(time)")
        }
    }

    @Test("what is no regular file is not replaced", arguments: ["a.png", "a.mp4"])
    func specialFiles(name: String) async throws {
        let input = directory.file("in.png")
        try Canvas(pixelSize: FrameSize(width: 32, height: 32)).write(to: input)
        let pipe = directory.file("pipe-" + name)
        let link = directory.file("link-" + name)
        #expect(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.file("elsewhere"))
        for output in [pipe, link] {
            await #expect(throws: CommandFailure.self) { try await apply([input, "-o", output]) }
            var status = stat()
            #expect(lstat(output, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
        }
    }

    @Test(
        "a mistyped command gets a suggestion, anything else does not",
        arguments: [
            ("wach", "watch"), ("serv", "serve"), ("recrod", "record"), ("watch", nil), ("--help", nil), ("help", nil),
            ("elephant", nil), ("", nil),
        ] as [(String, String?)]
    )
    func suggestions(word: String, name: String?) {
        let message = Facet.wrongCommand(in: [word])?.message
        #expect(message?.split(separator: "'").dropFirst(3).first.map(String.init) == name)
        #expect(Facet.wrongCommand(in: ["help", word])?.message == message)
    }
}
