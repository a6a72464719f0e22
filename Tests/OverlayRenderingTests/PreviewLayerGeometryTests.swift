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
        aperture: NormalizedRect = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    ) throws -> PreviewLayerGeometry {
        try #require(
            PreviewLayerGeometry(
                size: SurfaceSize(width: 400, height: 200),
                pictureSize: FrameSize(width: 640, height: 480),
                videoGravity: gravity,
                isMirrored: mirrored,
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

    @Test("places a rectangle, mirrored too")
    func rectangle() throws {
        let rect = NormalizedRect(x: 0.1, y: 0.2, width: 0.3, height: 0.4)
        #expect(
            try geometry(.resize).surfaceRect(fromPicture: rect)
                .isClose(to: SurfaceRect(x: 40, y: 40, width: 120, height: 80))
        )
        #expect(
            try geometry(.resize, mirrored: true).surfaceRect(fromPicture: rect)
                .isClose(to: SurfaceRect(x: 240, y: 40, width: 120, height: 80))
        )
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

    @Test("places every point where the map's inverse finds it, for every gravity, mirror and aperture")
    func roundTrip() throws {
        var random = SeededGenerator(state: 7)
        for gravity in VideoGravity.allCases {
            for mirrored in [false, true] {
                for _ in 0..<100 { try roundTrip(gravity, mirrored, using: &random) }
            }
        }
    }

    private func roundTrip(
        _ gravity: VideoGravity,
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
        let back = geometry.surfaceFromPicture.inverse.point(placed)
        #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
    }
}
