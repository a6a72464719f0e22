import FaceMessages
import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

@Suite("Scene")
struct SceneTests {
    @Test("holds exactly the faces of the last metadata")
    func followsMetadata() {
        var scene = Scene()
        scene.apply(metadata([sampleFace(id: 2), sampleFace(id: 1)], frame: 0), at: 0)
        #expect(scene.faces.map(\.faceID.rawValue) == [1, 2])
        var moved = sampleFace(id: 2)
        moved.bounds.x += 0.1
        #expect(scene.apply(metadata([moved, sampleFace(id: 5)], frame: 9), at: 1) == .faces)
        #expect(scene.faces == [moved, sampleFace(id: 5)])
        scene.apply(metadata([], frame: 10), at: 2)
        #expect(scene.faces.isEmpty)
    }

    @Test("goes on with a source that was opened again and counts its frames anew")
    func openedAgain() {
        func metadata(_ faces: [FaceObject], _ frame: Int, _ seconds: Double) -> DaemonMessage {
            let time = Timestamp(nanoseconds: Int64(seconds * 1e9))
            let stamp = FrameStamp(frame: frame, time: time, mediaTime: Double(frame) / 30)
            return .metadata(MetadataMessage(origin: origin, stamp: stamp, faces: faces))
        }
        var scene = Scene()
        scene.apply(metadata([sampleFace(id: 1)], 150, 5), at: 0)
        scene.apply(status(DaemonStatus(state: .online, cameraState: .disabled)), at: 0)
        #expect(scene.faces.isEmpty)
        // The empty set comes after the status that explains it.
        scene.apply(metadata([], 151, 5.1), at: 0)
        scene.apply(status(DaemonStatus(state: .online, cameraState: .streaming)), at: 0)
        scene.apply(metadata([sampleFace(id: 2)], 3, 7), at: 0)
        #expect(scene.faces.map(\.faceID.rawValue) == [2])
        #expect(scene.showing(frame: 3).faces.map(\.faceID.rawValue) == [2])
        #expect(scene.isSettled(in: 3) && !scene.isSettled(in: 5))
    }

    @Test("holds nothing without a connection, and all again after it")
    func forgets() {
        var scene = Scene()
        scene.apply(metadata([sampleFace()], frame: 0), at: 0)
        scene.apply(event(.smile, face: 1, frame: 0), at: 0)
        scene.forget()
        #expect(scene.faces.isEmpty && !scene.isFading && scene.state.name == nil)
        scene.apply(metadata([sampleFace()], frame: 0), at: 0)
        #expect(scene.faces.count == 1 && !scene.isFading)
    }

    @Test("the eyes of a blink are not told as closed, those that stay closed are; and a face that is only a picture")
    func blink() throws {
        let geometry = try #require(
            PreviewLayerGeometry(
                size: SurfaceSize(width: 64, height: 48),
                pictureSize: FrameSize(width: 64, height: 48)
            )
        )
        var open = sampleFace(id: 1)
        (open.smiling, open.leftEyeClosed) = (false, false)
        var scene = Scene()
        func words(at seconds: Double) -> [String] {
            scene.drawnFaces(geometry, at: seconds).flatMap { LabelOverlay.words($0.face) }
        }
        scene.apply(metadata([open], frame: 0), at: 0)
        var closed = open
        closed.rightEyeClosed = true
        scene.apply(metadata([closed], frame: 1), at: 1)
        #expect(words(at: 1.2).isEmpty)
        scene.apply(metadata([open], frame: 2), at: 1.2)
        scene.apply(event(.blink(eyes: .both, duration: 0.2), face: 1, frame: 3), at: 1.3)
        #expect(words(at: 1.4) == ["blink"])
        scene.apply(metadata([closed], frame: 4), at: 3)
        closed.bounds.x += 0.1
        scene.apply(metadata([closed], frame: 5), at: 3.4)
        #expect(words(at: 3.6) == ["right eye closed"])
        scene.apply(metadata([open], frame: 6), at: 4)
        #expect(words(at: 4).isEmpty)
        open.still = true
        scene.apply(metadata([open], frame: 7), at: 40)
        #expect(words(at: 40) == ["still"])
    }

    @Test("an event's mark fades and is forgotten")
    func flash() throws {
        var scene = Scene()
        scene.apply(metadata([sampleFace(id: 1)], frame: 0), at: 10)
        scene.apply(event(.smile, face: 1, frame: 1), at: 10)
        let flash = try #require(scene.flashes[FaceID(rawValue: 1)]?.first)
        #expect(flash.strength(at: 10) == 1)
        #expect(flash.strength(at: 10.5) == 0.5)
        #expect(flash.strength(at: 9.9) == 0 && flash.strength(at: 11) == 0)
        scene.advance(to: 10.9)
        #expect(scene.isFading)
        scene.advance(to: 11)
        #expect(!scene.isFading && scene.flashes[FaceID(rawValue: 1)] == nil)
    }

    @Test("an event that comes before its face's metadata waits for it")
    func earlyEvent() {
        var scene = Scene()
        scene.apply(event(.enter, face: 1, frame: 0), at: 0)
        #expect(!scene.isFading)
        scene.apply(metadata([sampleFace(id: 1)], frame: 0), at: 0.01)
        #expect(scene.isFading && scene.flashes[FaceID(rawValue: 1)]?.count == 1)
    }

    @Test(
        "shows the level of a smile as a bar beside the face, with the level that the daemon asks for, where that is wanted"
    )
    func levels() throws {
        var scene = Scene()
        var face = sampleFace(bounds: NormalizedRect(x: 0.4, y: 0.2, width: 0.2, height: 0.6))
        (face.smile, face.smiling) = (0.5, false)
        scene.apply(metadata([face], frame: 0), at: 0)
        let canvas = try Canvas(pixelSize: FrameSize(width: 200, height: 200))
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: canvas.pixelSize))
        /// Left of the face's box, each second pixel down and across.
        func side() -> (bar: [Int], edge: [Int]) {
            canvas.clear(.black)
            canvas.draw(scene, geometry, overlay: HeartsOverlay(), at: 0)
            let rows = canvas.brightness(columns: 100, rows: 100, levels: 255)
            return (rows.map { $0[36] }, rows.map { $0[35] })
        }
        #expect(side().bar.allSatisfy { $0 == 0 })
        scene.showsLevels = true
        // The box is 60 rows high from row 20 on: half of it is filled.
        #expect(side().bar[30] < 20 && side().bar[70] > 100)
        func mark() -> Int? { side().edge.firstIndex { $0 > 20 } }
        #expect(mark() == 37)
        var online = DaemonStatus(state: .online, cameraState: .streaming)
        online.smile = SmileSettings()
        online.smile?.level = 0.4
        scene.apply(status(online), at: 0)
        scene.apply(metadata([face], frame: 1), at: 0)
        #expect(mark() == 55)
    }

    @Test("the white of a taken picture fades")
    func snapshotFlash() {
        var scene = Scene()
        scene.snapshotTime = 5
        #expect(scene.snapshotFlashStrength(at: 5) == 1)
        #expect(abs(scene.snapshotFlashStrength(at: 5.15) - 0.5) < 1e-9)
        #expect(scene.snapshotFlashStrength(at: 5.4) == 0 && scene.snapshotFlashStrength(at: 4) == 0)
    }

    /// How much of a picture is drawn on when a scene is drawn with an overlay, after a face went unseen.
    private func drawn(_ overlay: any Overlay, _ face: FaceObject, after seconds: Double) throws -> Int {
        var scene = Scene()
        var seen = face
        (seen.isSeen, seen.confidence) = (true, 0.9)
        scene.apply(metadata([seen], frame: 0), at: 0)
        scene.apply(metadata([face], frame: 30), at: 1)
        let canvas = try Canvas(pixelSize: FrameSize(width: 64, height: 48))
        canvas.clear(.black)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: canvas.pixelSize))
        canvas.draw(scene, geometry, overlay: overlay, at: 1 + seconds)
        try canvas.check()
        return canvas.brightness(columns: 16, rows: 12).joined().reduce(0, +)
    }

    @Test(
        "a face that is not seen any more fades within 150 ms",
        arguments: overlayNames.filter { OverlayName(rawValue: $0)?.overlay.hidesFaces != true }
    )
    func fading(name: String) throws {
        let overlay = try overlays()[name]
        var face = sampleFace()
        let seen = try drawn(overlay, face, after: 0)
        face.isSeen = false
        let half = try drawn(overlay, face, after: 0.075)
        let gone = try drawn(overlay, face, after: 0.15)
        #expect(half > 0 && Double(half) < 0.7 * Double(seen))
        #expect(gone == 0)
    }

    @Test(
        "nothing is drawn after a cut",
        arguments: overlayNames.filter { OverlayName(rawValue: $0)?.overlay.hidesFaces != true }
    )
    func cut(name: String) throws {
        var face = sampleFace()
        (face.isSeen, face.confidence) = (false, 0)
        #expect(try drawn(overlays()[name], face, after: 0) == 0)
    }

    @Test("an overlay that hides faces does not fade while the face may still be there")
    func hiding() throws {
        var face = sampleFace()
        let overlay = OverlayName.silhouette.overlay
        let seen = try drawn(overlay, face, after: 0)
        face.isSeen = false
        #expect(try drawn(overlay, face, after: 0.6) == seen && seen > 0)
    }

    @Test("fading asks for redraws, until it is over")
    func redraws() {
        var scene = Scene()
        var face = sampleFace()
        scene.apply(metadata([face], frame: 0), at: 0)
        #expect(!scene.isFading)
        face.isSeen = false
        scene.apply(metadata([face], frame: 3), at: 0.1)
        scene.advance(to: 0.2)
        #expect(scene.isFading)
        scene.advance(to: 0.26)
        #expect(!scene.isFading)
    }

    @Test("the nearest face is drawn last, whatever its identity")
    func order() throws {
        var scene = Scene()
        let near = sampleFace(id: 1, bounds: NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.6))
        let far = sampleFace(id: 2, bounds: NormalizedRect(x: 0.6, y: 0.3, width: 0.1, height: 0.2))
        scene.apply(metadata([near, far], frame: 0), at: 0)
        let size = FrameSize(width: 64, height: 48)
        let geometry = try #require(
            PreviewLayerGeometry(size: SurfaceSize(width: 64, height: 48), pictureSize: size)
        )
        #expect(scene.drawnFaces(geometry, at: 0).map(\.face.faceID.rawValue) == [2, 1])
    }

    @Test("of the same face the picture that is not blurred is the sharpest, however large the face")
    func sharpness() throws {
        /// Specks that fade into each other over some pixels.
        func picture(_ side: Int, blur: Int) throws -> Picture {
            var generator = SeededGenerator(state: 1)
            let pixels = (0..<side).flatMap { _ in
                let row = (0..<side + 2 * blur).map { _ in Int.random(in: 0...255, using: &generator) }
                return (0..<side).map { UInt8(row[$0...$0 + 2 * blur].reduce(0, +) / (2 * blur + 1)) }
            }
            let size = FrameSize(width: side, height: side)
            let stamp = FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0)
            let picture = Picture()
            try picture.update(from: Frame(copying: pixels, size: size, format: .gray, stamp: stamp))
            return picture
        }
        for face in [0.3, 0.9].map({ NormalizedRect(x: 0.05, y: 0.05, width: $0, height: $0) }) {
            let bytes = try [0, 6, 12].map { try picture(400, blur: $0).sharpness(of: face) }
            #expect(bytes[0] > bytes[1] && bytes[1] > bytes[2] && bytes[2] > 0, "\(bytes)")
        }
        let odd = NormalizedRect(x: .nan, y: 0, width: 1e300, height: 1)
        #expect(try picture(40, blur: 0).sharpness(of: odd) == 0)
    }
}
