import ArgumentParser
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import OverlayRendering
import Testing

@testable import facet

@Suite("Files in, files with the overlay out", .timeLimit(.minutes(5)))
struct ApplyTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func apply(_ arguments: [String]) async throws {
        let command = try #require(try Facet.parseAsRoot(["apply"] + arguments) as? Apply)
        try await command.run()
    }

    /// The picture at a time of a file, drawn on a canvas of its size.
    private func pixels(of path: String, at mediaTime: Double = 0) throws -> [UInt8] {
        let picture = Picture()
        try picture.update(from: try StillPicture.load(path, at: mediaTime))
        let size = try #require(picture.uprightSize)
        let canvas = try Canvas(pixelSize: size)
        canvas.draw(picture, try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: size)))
        return canvas.withPixels { pixels, _ in Array(pixels) }
    }

    private func difference(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).count { abs(Int($0) - Int($1)) > 60 }
    }

    @Test("the input is never overwritten, by whatever name")
    func input() async throws {
        let picture = directory.file("a.png")
        try PictureFile(picture).write(try Canvas(pixelSize: FrameSize(width: 32, height: 32)))
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
        try await apply([input, "-o", output, "--look", "santa"])
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
        try await apply([input, "-o", directory.file("out.png"), "--look", "hearts"])
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
        "a mistyped command gets a suggestion, anything else does not",
        arguments: [
            ("wach", "watch"), ("serv", "serve"), ("recrod", "record"), ("watch", nil), ("--help", nil), ("help", nil),
            ("elephant", nil), ("", nil),
        ] as [(String, String?)]
    )
    func suggestions(word: String, name: String?) {
        #expect(Facet.suggestion(for: word) == name)
    }
}
