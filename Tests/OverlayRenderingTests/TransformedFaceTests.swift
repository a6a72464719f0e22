import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

@Suite("Faces on the surface")
struct TransformedFaceTests {
    private func geometry(
        _ orientation: Orientation = .up,
        mirrored: Bool = false,
        gravity: VideoGravity = .resizeAspect,
        camera: String? = nil,
        size: SurfaceSize = SurfaceSize(width: 640, height: 480)
    ) throws -> PreviewLayerGeometry {
        try #require(
            PreviewLayerGeometry(
                size: size,
                pictureSize: FrameSize(width: 640, height: 480),
                videoGravity: gravity,
                isMirrored: mirrored,
                orientation: orientation,
                camera: camera
            )
        )
    }

    @Test("places the box and the landmarks in points")
    func points() throws {
        let face = try #require(try geometry().transformed(sampleFace()))
        #expect(face.bounds.isClose(to: SurfaceRect(x: 256, y: 144, width: 128, height: 192)))
        #expect(try #require(face.leftEye).isClose(to: SurfacePoint(x: 294.4, y: 203.52)))
        #expect(try #require(face.mouth).isClose(to: SurfacePoint(x: 320, y: 278.4)))
    }

    @Test("keeps what is unknown unknown")
    func unknown() throws {
        let bounds = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
        let bare = FaceObject(faceID: FaceID(rawValue: 4), bounds: bounds, confidence: 0.5)
        let face = try #require(try geometry(mirrored: true).transformed(bare))
        #expect(face.pose == nil && face.leftEye == nil && face.rightEye == nil && face.mouth == nil)
        #expect(face.smiling == nil && face.smile == nil && face.leftEyeClosed == nil && face.rightEyeClosed == nil)
    }

    @Test("is nil for another camera's face")
    func otherCamera() throws {
        let geometry = try geometry(camera: "front")
        #expect(geometry.transformed(sampleFace(), from: "porch") == nil)
        #expect(geometry.transformed(sampleFace(), from: "front") != nil)
        #expect(try self.geometry().transformed(sampleFace(), from: "porch") != nil)
    }

    @Test("has no place for what is no face, and takes what is no number for unknown")
    func nonsense() throws {
        let geometry = try geometry()
        for rect in [(0, 0, 0, 1), (.nan, 0, 1, 1), (0, 0, .infinity, 1), (0, 0, -1, 1), (0, 0, 1e9, 1)]
            as [(Double, Double, Double, Double)]
        {
            let bounds = NormalizedRect(x: rect.0, y: rect.1, width: rect.2, height: rect.3)
            #expect(geometry.transformed(sampleFace(bounds: bounds)) == nil)
        }
        var face = sampleFace(pose: pose(.nan, 0, 0))
        face.leftEye = NormalizedPoint(x: .infinity, y: 0)
        let shown = try #require(geometry.transformed(face))
        #expect(shown.pose == nil && shown.leftEye == nil && shown.rightEye != nil)
    }

    @Test("exchanges left and right in a mirror, eyes and lids")
    func mirroredEyes() throws {
        let face = try #require(try geometry(mirrored: true).transformed(sampleFace()))
        let (left, right) = (try #require(face.leftEye), try #require(face.rightEye))
        #expect(left.x < right.x)
        // The closed eye was at the left; in the mirror it is at the right.
        #expect(face.leftEyeClosed == false && face.rightEyeClosed == true)
    }

    // By hand. A mirror negates roll and yaw. A turn by 90° clockwise brings a nose that pointed up to the right, one
    // that pointed right down; a turn by 180° negates both. Mirrored along a diagonal (5 and 7), the chin goes to the
    // right or to the left.
    @Test(
        "turns the angles with the picture",
        arguments: [
            (Orientation.up, false, pose(10, 20, 5), pose(10, 20, 5)),
            (.up, true, pose(10, 20, 5), pose(-10, -20, 5)),
            (.upMirrored, false, pose(10, 20, 5), pose(-10, -20, 5)),
            (.upMirrored, true, pose(10, 20, 5), pose(10, 20, 5)),
            (.down, false, pose(0, 20, 0), pose(180, -20, 0)),
            (.down, false, pose(10, 0, 0), pose(-170, 0, 0)),
            (.down, false, pose(0, 0, 15), pose(180, 0, -15)),
            (.downMirrored, false, pose(0, 20, 0), pose(180, 20, 0)),
            (.right, false, pose(0, 0, 0), pose(90, 0, 0)),
            (.right, false, pose(10, 0, 0), pose(100, 0, 0)),
            (.right, false, pose(0, 20, 0), pose(90, 0, -20)),
            (.right, false, pose(0, 0, 20), pose(90, 20, 0)),
            (.right, true, pose(0, 0, 20), pose(-90, -20, 0)),
            (.left, false, pose(0, 0, 0), pose(-90, 0, 0)),
            (.left, false, pose(0, 20, 0), pose(-90, 0, 20)),
            (.left, false, pose(0, 0, 20), pose(-90, -20, 0)),
            (.leftMirrored, false, pose(0, 0, 0), pose(-90, 0, 0)),
            (.leftMirrored, false, pose(0, 20, 0), pose(-90, 0, -20)),
            (.rightMirrored, false, pose(0, 0, 0), pose(90, 0, 0)),
            (.rightMirrored, false, pose(0, 20, 0), pose(90, 0, 20)),
        ] as [(Orientation, Bool, HeadPose, HeadPose)]
    )
    func angles(orientation: Orientation, mirrored: Bool, from: HeadPose, to: HeadPose) throws {
        let result = try geometry(orientation, mirrored: mirrored).transformed(from)
        #expect(result.isClose(to: to), "\(result)")
    }

    @Test("stretches the roll with the picture")
    func stretched() throws {
        // Twice as high as wide: a slope of 1 becomes 2, atan 2 = 63.43°.
        let tall = try geometry(gravity: .resize, size: SurfaceSize(width: 640, height: 960))
        #expect(tall.transformed(pose(45, 0, 0)).isClose(to: pose(63.4349, 0, 0)))
        #expect(tall.transformed(pose(-135, 0, 0)).isClose(to: pose(-116.5651, 0, 0)))
    }

    @Test("keeps the eyes on the roll's line, whatever the orientation and mirror")
    func eyesAgreeWithRoll() throws {
        // A face tilted by 30° with its eyes on that line: in pixels 50 apart to either side.
        let (dx, dy) = (50 * 0.8660254038 / 640, 50 * 0.5 / 480)
        var face = sampleFace(pose: pose(30, 0, 0))
        face.leftEye = NormalizedPoint(x: 0.5 - dx, y: 0.5 - dy)
        face.rightEye = NormalizedPoint(x: 0.5 + dx, y: 0.5 + dy)
        for orientation in Orientation.allCases {
            for mirrored in [false, true] {
                let shown = try #require(try geometry(orientation, mirrored: mirrored).transformed(face))
                let (left, right) = (try #require(shown.leftEye), try #require(shown.rightEye))
                let plane = FacePlane(center: left.middle(to: right), pose: try #require(shown.pose))
                let half = left.distance(to: right) / 2
                #expect(plane.point(half, 0).distance(to: right) < 1e-6, "\(orientation) \(mirrored)")
            }
        }
    }

    @Test("gives every pose back from its rotation")
    func rotationRoundTrip() {
        var random = SeededGenerator(state: 3)
        for _ in 0..<500 {
            let original = pose(
                .random(in: -179...180, using: &random),
                .random(in: -179...180, using: &random),
                .random(in: -89...89, using: &random)
            )
            #expect(HeadRotation(original).pose.isClose(to: original), "\(original)")
        }
    }
}
