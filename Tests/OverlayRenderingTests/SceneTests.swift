import FaceMessages
import FaceMetadata
import Frames
import OverlayRendering
import Testing

@Suite("Scene")
struct SceneTests {
    @Test("makes one layer per face and moves it, not anew")
    func movesLayers() throws {
        var scene = Scene()
        #expect(scene.apply(metadata([sampleFace(id: 3)], frame: 0), at: 0) == [.added(FaceID(rawValue: 3))])
        let first = try #require(scene.layers.first)

        var moved = sampleFace(id: 3)
        moved.bounds.x += 0.1
        #expect(scene.apply(metadata([moved], frame: 1), at: 0.1) == [.moved(FaceID(rawValue: 3))])
        let second = try #require(scene.layers.first)
        #expect(second.face == moved)
        #expect(second.number == first.number && second.start == first.start)
    }

    @Test("says nothing of a face that is as it was")
    func unchanged() {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace()], frame: 0), at: 0)
        #expect(scene.apply(metadata([sampleFace()], frame: 1), at: 0).isEmpty)
    }

    @Test("holds exactly the faces of the last metadata")
    func followsMetadata() {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 1), sampleFace(id: 2)], frame: 0), at: 0)
        let changes = scene.apply(metadata([sampleFace(id: 2), sampleFace(id: 5)], frame: 9), at: 1)
        #expect(changes == [.added(FaceID(rawValue: 5)), .removed(FaceID(rawValue: 1))])
        #expect(scene.layers.map(\.faceID.rawValue) == [2, 5])
        #expect(scene.apply(metadata([], frame: 10), at: 2).count == 2)
        #expect(scene.layers.isEmpty)
    }

    @Test("a face told twice is one layer")
    func duplicate() {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 1), sampleFace(id: 1)], frame: 0), at: 0)
        #expect(scene.layers.count == 1)
    }

    @Test("a face that comes back is a new layer")
    func comesBack() throws {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 1)], frame: 0), at: 0)
        _ = scene.apply(metadata([], frame: 1), at: 0)
        _ = scene.apply(metadata([sampleFace(id: 2)], frame: 2), at: 0)
        #expect(try #require(scene.layers.first).number == 2)
    }

    @Test("passes over metadata older than what it shows, of the same run only")
    func stale() {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 1)], frame: 50), at: 0)
        #expect(scene.apply(metadata([], frame: 49), at: 0).isEmpty)
        #expect(scene.layers.count == 1 && scene.ignored.stale == 1)
        let restarted = MessageOrigin(camera: "front", boot: "RUN2")
        _ = scene.apply(metadata([sampleFace(id: 7)], frame: 0, from: restarted), at: 0)
        #expect(scene.layers.map(\.faceID.rawValue) == [7])
    }

    @Test("goes on with a source that was opened again and counts its frames anew")
    func openedAgain() {
        func stamp(_ frame: Int, _ seconds: Double) -> FrameStamp {
            FrameStamp(frame: frame, time: Timestamp(nanoseconds: Int64(seconds * 1e9)), mediaTime: Double(frame) / 30)
        }
        var scene = Scene()
        _ = scene.apply(MetadataMessage(origin: origin, stamp: stamp(150, 5), faces: [sampleFace(id: 1)]), at: 0)
        _ = scene.apply(StatusMessage(origin: origin, status: DaemonStatus(state: .online, cameraState: .disabled)))
        // The empty set comes after the status that explains it.
        _ = scene.apply(MetadataMessage(origin: origin, stamp: stamp(151, 5.1), faces: []), at: 0)
        _ = scene.apply(MetadataMessage(origin: origin, stamp: stamp(3, 7), faces: [sampleFace(id: 2)]), at: 0)
        #expect(scene.layers.map(\.faceID.rawValue) == [2])
        #expect(scene.showing(frame: 3).layers.map(\.faceID.rawValue) == [2])
        #expect(scene.isSettled(in: 3) && !scene.isSettled(in: 5))
    }

    @Test("passes over other cameras and counts them")
    func otherCamera() {
        var scene = Scene(camera: "front")
        let porch = MessageOrigin(camera: "porch", boot: "RUN1")
        #expect(scene.apply(metadata([sampleFace()], frame: 0, from: porch), at: 0).isEmpty)
        scene.apply(event(.smile, face: 1, frame: 0, from: porch), at: 0)
        #expect(scene.layers.isEmpty && scene.lastEvent == nil && scene.ignored.otherCamera == 2)
    }

    @Test(
        "leaves no ghost when the daemon or its camera is gone",
        arguments: [
            DaemonStatus(state: .offline), DaemonStatus(state: .stopped),
            DaemonStatus(state: .online, cameraState: .lost, reason: "unplugged"),
            DaemonStatus(state: .online, cameraState: .disabled),
        ]
    )
    func noGhosts(status: DaemonStatus) {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 4)], frame: 0), at: 0)
        #expect(scene.apply(StatusMessage(origin: origin, status: status)) == [.removed(FaceID(rawValue: 4))])
        #expect(scene.layers.isEmpty)
    }

    @Test("passes over what a dead daemon left on the broker, until it is back")
    func leftBehind() {
        var scene = Scene()
        _ = scene.apply(StatusMessage(origin: origin, status: DaemonStatus(state: .offline)))
        #expect(scene.apply(metadata([sampleFace()], frame: 5), at: 0).isEmpty)
        #expect(scene.layers.isEmpty && scene.ignored.stale == 1)
        let restarted = MessageOrigin(camera: "front", boot: "RUN2")
        #expect(scene.apply(metadata([sampleFace(id: 2)], frame: 0, from: restarted), at: 0).count == 1)
        _ = scene.apply(StatusMessage(origin: origin, status: DaemonStatus(state: .online)))
        #expect(scene.apply(metadata([sampleFace(id: 1)], frame: 6), at: 0).count == 2)
    }

    @Test("keeps its faces while the daemon streams")
    func streaming() {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace()], frame: 0), at: 0)
        let status = DaemonStatus(state: .online, cameraState: .streaming)
        #expect(scene.apply(StatusMessage(origin: origin, status: status)).isEmpty)
        #expect(scene.layers.count == 1)
    }

    @Test("an event's mark fades and is forgotten")
    func flash() throws {
        var scene = Scene()
        _ = scene.apply(metadata([sampleFace(id: 1)], frame: 0), at: 10)
        scene.apply(event(.smile, face: 1, frame: 1), at: 10)
        let flash = try #require(scene.flashes(of: FaceID(rawValue: 1)).first)
        #expect(flash.strength(at: 10) == 1)
        #expect(flash.strength(at: 10.5) == 0.5)
        #expect(flash.strength(at: 9.9) == 0 && flash.strength(at: 11) == 0)
        scene.advance(to: 10.9)
        #expect(scene.isFading)
        scene.advance(to: 11)
        #expect(!scene.isFading && scene.flashes(of: FaceID(rawValue: 1)).isEmpty)
    }

    @Test("an event that comes before its face's metadata waits for it")
    func earlyEvent() {
        var scene = Scene()
        scene.apply(event(.enter, face: 1, frame: 0), at: 0)
        #expect(!scene.isFading)
        _ = scene.apply(metadata([sampleFace(id: 1)], frame: 0), at: 0.01)
        #expect(scene.isFading && scene.flashes(of: FaceID(rawValue: 1)).count == 1)
    }

    @Test("the white of a taken picture fades")
    func shutter() {
        var scene = Scene()
        scene.takePicture(at: 5)
        #expect(scene.shutterStrength(at: 5) == 1)
        #expect(abs(scene.shutterStrength(at: 5.15) - 0.5) < 1e-9)
        #expect(scene.shutterStrength(at: 5.4) == 0 && scene.shutterStrength(at: 4) == 0)
    }

    /// How much of a picture is drawn on when a scene is drawn in a look, after a face went unseen.
    private func drawn(_ look: any Look, _ face: FaceObject, after seconds: Double) throws -> Int {
        var scene = Scene()
        var seen = face
        (seen.isSeen, seen.confidence) = (true, 0.9)
        _ = scene.apply(metadata([seen], frame: 0), at: 0)
        _ = scene.apply(metadata([face], frame: 30), at: 1)
        let canvas = try Canvas(pixelSize: FrameSize(width: 64, height: 48))
        canvas.clear(.black)
        let geometry = try #require(PreviewLayerGeometry(size: canvas.size, pictureSize: canvas.pixelSize))
        canvas.draw(scene, geometry, look: look, at: 1 + seconds)
        try canvas.check()
        return canvas.brightness(columns: 16, rows: 12).joined().reduce(0, +)
    }

    @Test(
        "a face that is not seen any more fades within 150 ms",
        arguments: lookNames.filter { LookName(rawValue: $0)?.look.hidesFaces != true }
    )
    func fading(name: String) throws {
        let look = try looks()[name]
        var face = sampleFace()
        let seen = try drawn(look, face, after: 0)
        face.isSeen = false
        let (half, gone) = (try drawn(look, face, after: 0.075), try drawn(look, face, after: 0.15))
        #expect(half > 0 && Double(half) < 0.7 * Double(seen))
        #expect(gone == 0)
    }

    @Test(
        "nothing is drawn after a cut",
        arguments: lookNames.filter { LookName(rawValue: $0)?.look.hidesFaces != true }
    )
    func cut(name: String) throws {
        var face = sampleFace()
        (face.isSeen, face.confidence) = (false, 0)
        #expect(try drawn(looks()[name], face, after: 0) == 0)
    }

    @Test("a look that hides faces does not fade while the face may still be there")
    func hiding() throws {
        var face = sampleFace()
        let look = LookName.silhouette.look
        let seen = try drawn(look, face, after: 0)
        face.isSeen = false
        #expect(try drawn(look, face, after: 0.6) == seen && seen > 0)
    }

    @Test("fading asks for redraws, until it is over")
    func redraws() {
        var scene = Scene()
        var face = sampleFace()
        _ = scene.apply(metadata([face], frame: 0), at: 0)
        #expect(!scene.isFading)
        face.isSeen = false
        _ = scene.apply(metadata([face], frame: 3), at: 0.1)
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
        _ = scene.apply(metadata([near, far], frame: 0), at: 0)
        let size = FrameSize(width: 64, height: 48)
        let geometry = try #require(
            PreviewLayerGeometry(size: SurfaceSize(width: 64, height: 48), pictureSize: size)
        )
        #expect(scene.drawnFaces(geometry, at: 0).map(\.face.face.faceID.rawValue) == [2, 1])
    }
}
