import ArgumentParser
import CompanionTestSupport
import FacetTestSupport
import Foundation
import Frames
import OverlayRendering
import Testing

@testable import ClipDrawing
@testable import Companion
@testable import facet

@Suite("facet overlays", .timeLimit(.minutes(5)))
struct OverlayGalleryTests {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/examples/overlays").standardizedFileURL

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: [String]) async throws {
        let command = try #require(try Facet.parseAsRoot(["overlays"] + arguments) as? OverlayList)
        try await command.run()
    }

    @Test("makes a page with a picture of each overlay, the examples' too, that needs nothing else")
    func page() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path).sorted()
            .filter { $0.hasSuffix(".yaml") }
        #expect(files == OverlayChoice.examples.map { $0 + ".yaml" }, "each example is known by its name")
        let page = directory.file("overlays.html")
        try await run(
            files.map { Self.examples.appending(path: $0).path } + [
                "--gallery", page, "--over", "/usr/local/share/facet/astronaut.png",
            ]
        )
        let text = try String(contentsOf: URL(filePath: page), encoding: .utf8)
        let names = text.matches(of: /<figcaption>([^<]*)</).map { String($0.1) }
        #expect(names == OverlayName.allCases.map(\.rawValue) + files.map { String($0.dropLast(5)) })
        // Each is a picture of its own: no overlay draws what another one does.
        let pictures = text.matches(of: /src="data:image\/jpeg;base64,([^"]*)"/).map { String($0.1) }
        #expect(pictures.count == names.count && Set(pictures).count == names.count)
        #expect(!text.contains("://") && !text.contains("<script") && !text.contains("<!--"))
    }

    @Test("a picture without a face is refused, and no page is written")
    func noFace() async throws {
        let picture = directory.file("wall.png")
        try Canvas(pixelSize: FrameSize(width: 64, height: 64)).write(to: picture)
        let failure = await #expect(throws: CommandFailure.self) {
            try await run(["--gallery", directory.file("overlays.html"), "--over", picture])
        }
        #expect(
            failure?.description == "there is no face in \(picture) to draw over; name a picture with one with --over"
        )
        #expect(!FileManager.default.fileExists(atPath: directory.file("overlays.html")))
    }
}
