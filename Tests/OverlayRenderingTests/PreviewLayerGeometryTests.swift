import FaceMetadata
import Frames
import Testing

@testable import OverlayRendering

@Suite("Preview layer geometry")
struct PreviewLayerGeometryTests {
    /// A 640×480 picture on a surface of 400×200 points.
    private func geometry(
        _ gravity: VideoGravity,
        mirrored: Bool = false,
        _ orientation: Orientation = .up,
        aperture: NormalizedRect = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    ) throws -> PreviewLayerGeometry {
        try #require(
            PreviewLayerGeometry(
                size: SurfaceSize(width: 400, height: 200),
                pictureSize: FrameSize(width: 640, height: 480),
                videoGravity: gravity,
                isMirrored: mirrored,
                orientation: orientation,
                cleanAperture: aperture
            )
        )
    }

    // Worked out by hand. resizeAspect: scale 200/480, so 266.67×200 with 66.67 free at the left; fill: scale 400/640,
    // so 400×300 with 50 cut off at the top; resize: 400×200.
    @Test(
        "places a point by gravity",
        arguments: [
            (VideoGravity.resizeAspect, SurfacePoint(x: 66.6666666667 + 0.25 * 266.6666666667, y: 100)),
            (.resizeAspectFill, SurfacePoint(x: 100, y: 100)),
            (.resize, SurfacePoint(x: 100, y: 100)),
        ]
    )
    func gravity(gravity: VideoGravity, expected: SurfacePoint) throws {
        #expect(try geometry(gravity).surfacePoint(fromPicture: NormalizedPoint(x: 0.25, y: 0.5)).isClose(to: expected))
    }

    @Test("places the picture's corner by gravity")
    func corner() throws {
        let corner = NormalizedPoint(x: 0, y: 0)
        #expect(
            try geometry(.resizeAspect).surfacePoint(fromPicture: corner)
                .isClose(to: SurfacePoint(x: 66.6666666667, y: 0))
        )
        #expect(
            try geometry(.resizeAspectFill).surfacePoint(fromPicture: corner).isClose(to: SurfacePoint(x: 0, y: -50))
        )
        #expect(try geometry(.resize).surfacePoint(fromPicture: corner).isClose(to: SurfacePoint(x: 0, y: 0)))
    }

    @Test("mirrors left to right, not top to bottom")
    func mirror() throws {
        let point = NormalizedPoint(x: 0.25, y: 0.25)
        #expect(
            try geometry(.resize, mirrored: true).surfacePoint(fromPicture: point)
                .isClose(to: SurfacePoint(x: 300, y: 50))
        )
    }

    // The point (0.25, 0.1) of the picture, as each EXIF orientation shows it: 5 to 8 exchange the axes.
    @Test(
        "turns a point by orientation",
        arguments: zip(
            Orientation.allCases,
            [
                (0.25, 0.1), (0.75, 0.1), (0.75, 0.9), (0.25, 0.9),
                (0.1, 0.25), (0.9, 0.25), (0.9, 0.75), (0.1, 0.75),
            ]
        )
    )
    func orientation(orientation: Orientation, upright: (Double, Double)) throws {
        let expected = SurfacePoint(x: 400 * upright.0, y: 200 * upright.1)
        let point = try geometry(.resize, orientation).surfacePoint(fromPicture: NormalizedPoint(x: 0.25, y: 0.1))
        #expect(point.isClose(to: expected))
    }

    // 5 to 8 make 480×640 of the picture: with resizeAspect 150×200 points, 125 from the left.
    @Test("fits the turned picture, not the stored one", arguments: [Orientation.right, .left, .leftMirrored])
    func turnedFit(orientation: Orientation) throws {
        let geometry = try geometry(.resizeAspect, orientation)
        #expect(geometry.visibleRect.isClose(to: SurfaceRect(x: 125, y: 0, width: 150, height: 200)))
    }

    @Test("mirrors after turning: what the viewer sees at the left goes to the right")
    func turnedMirror() throws {
        // Turned right, (0.25, 0.1) is at (0.9, 0.25); mirrored then, at (0.1, 0.25).
        let point = try geometry(.resize, mirrored: true, .right)
            .surfacePoint(fromPicture: NormalizedPoint(x: 0.25, y: 0.1))
        #expect(point.isClose(to: SurfacePoint(x: 40, y: 50)))
    }

    @Test("fits the clean aperture and leaves the rest outside")
    func cleanAperture() throws {
        // The middle 320×240 of 640×480: shown as 400×200 by resize.
        let geometry = try geometry(.resize, aperture: NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5))
        #expect(
            geometry.surfacePoint(fromPicture: NormalizedPoint(x: 0.25, y: 0.25)).isClose(to: SurfacePoint(x: 0, y: 0))
        )
        #expect(
            geometry.surfacePoint(fromPicture: NormalizedPoint(x: 0.5, y: 0.75)).isClose(
                to: SurfacePoint(x: 200, y: 200)
            )
        )
        #expect(geometry.surfacePoint(fromPicture: NormalizedPoint(x: 0, y: 0)).x == -200)
    }

    @Test("turns a rectangle with the picture")
    func rectangle() throws {
        let rect = try geometry(.resize, .right)
            .surfaceRect(fromPicture: NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4))
        // Turned right, x′ = 1 − y and y′ = x: 0.4…0.8 across, 0.1…0.4 down.
        #expect(rect.isClose(to: SurfaceRect(x: 160, y: 20, width: 160, height: 60)))
    }

    @Test("maps pixels' corners to the visible rectangle's")
    func pixels() throws {
        let geometry = try geometry(.resizeAspect)
        let corner = geometry.surfaceFromPixels.point(640, 480)
        #expect(corner.isClose(to: SurfacePoint(x: 333.3333333333, y: 200)))
    }

    @Test(
        "has no geometry without area",
        arguments: [(0, 100.0), (640, 0), (640, .infinity), (640, .nan), (-640, 100)]
    )
    func degenerate(pictureWidth: Int, surfaceWidth: Double) {
        #expect(
            PreviewLayerGeometry(
                size: SurfaceSize(width: surfaceWidth, height: 100),
                pictureSize: FrameSize(width: pictureWidth, height: 480)
            ) == nil
        )
    }

    @Test("places every point where the map's inverse finds it, for every gravity, mirror, orientation and aperture")
    func roundTrip() throws {
        var random = SeededGenerator(state: 7)
        for gravity in VideoGravity.allCases {
            for orientation in Orientation.allCases {
                for mirrored in [false, true] {
                    for _ in 0..<20 { try roundTrip(gravity, orientation, mirrored, using: &random) }
                }
            }
        }
    }

    private func roundTrip(
        _ gravity: VideoGravity,
        _ orientation: Orientation,
        _ mirrored: Bool,
        using random: inout SeededGenerator
    ) throws {
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let geometry = try #require(
            PreviewLayerGeometry(
                size: SurfaceSize(width: number(1...4000), height: number(1...4000)),
                pictureSize: FrameSize(width: Int(number(1...4000)), height: Int(number(1...4000))),
                videoGravity: gravity,
                isMirrored: mirrored,
                orientation: orientation,
                cleanAperture: NormalizedRect(
                    x: number(0...0.5),
                    y: number(0...0.5),
                    width: number(0.1...0.5),
                    height: number(0.1...0.5)
                )
            )
        )
        let point = NormalizedPoint(x: number(-1...2), y: number(-1...2))
        let placed = geometry.surfacePoint(fromPicture: point)
        let back = geometry.surfaceFromPicture.inverse.point(placed.x, placed.y)
        #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
    }
}
