import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

@Suite("Faces on the surface")
struct TransformedFaceTests {
    private func geometry(
        mirrored: Bool = false,
        gravity: VideoGravity = .resizeAspect,
        size: SurfaceSize = SurfaceSize(width: 640, height: 480)
    ) throws -> PreviewLayerGeometry {
        try #require(
            PreviewLayerGeometry(
                size: size,
                pictureSize: FrameSize(width: 640, height: 480),
                videoGravity: gravity,
                isMirrored: mirrored
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
        var measured = sampleFace()
        (measured.leftEyeOpen, measured.rightEyeOpen) = (0.1, 0.9)
        let face = try #require(try geometry(mirrored: true).transformed(measured))
        let left = try #require(face.leftEye)
        let right = try #require(face.rightEye)
        #expect(left.x < right.x)
        // The closed eye was at the left; in the mirror it is at the right.
        #expect(face.leftEyeClosed == false && face.rightEyeClosed == true)
        #expect(face.leftEyeOpen == 0.9 && face.rightEyeOpen == 0.1)
    }

    @Test(
        "mirrors the angles with the picture: roll and yaw change their sign",
        arguments: [
            (pose(10, 20, 5), pose(-10, -20, 5)), (pose(180, 0, 0), pose(180, 0, 0)),
            (pose(0, -90, 15), pose(0, 90, 15)),
        ]
    )
    func angles(from: HeadPose, to: HeadPose) throws {
        #expect(try geometry(mirrored: true).transformed(from).isClose(to: to))
        #expect(try geometry().transformed(from).isClose(to: from))
    }

    @Test("stretches the roll with the picture")
    func stretched() throws {
        // Twice as high as wide: a slope of 1 becomes 2, atan 2 = 63.43°.
        let tall = try geometry(gravity: .resize, size: SurfaceSize(width: 640, height: 960))
        #expect(tall.transformed(pose(45, 0, 0)).isClose(to: pose(63.4349, 0, 0)))
        #expect(tall.transformed(pose(-135, 0, 0)).isClose(to: pose(-116.5651, 0, 0)))
    }

    @Test("keeps the eyes on the roll's line, mirrored or not")
    func eyesAgreeWithRoll() throws {
        // A face tilted by 30° with its eyes on that line: in pixels 50 apart to either side.
        let (dx, dy) = (50 * 0.8660254038 / 640, 50 * 0.5 / 480)
        var face = sampleFace(pose: pose(30, 0, 0))
        face.leftEye = NormalizedPoint(x: 0.5 - dx, y: 0.5 - dy)
        face.rightEye = NormalizedPoint(x: 0.5 + dx, y: 0.5 + dy)
        for mirrored in [false, true] {
            let shown = try #require(try geometry(mirrored: mirrored).transformed(face))
            let left = try #require(shown.leftEye)
            let right = try #require(shown.rightEye)
            let plane = FacePlane(center: left.middle(to: right), pose: try #require(shown.pose))
            let half = left.distance(to: right) / 2
            #expect(plane.point(half, 0).distance(to: right) < 1e-6, "\(mirrored)")
        }
    }
}
