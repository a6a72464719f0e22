import FaceMetadata
import Frames
import Testing

@testable import FaceInference

@Suite("Regions that models look at")
struct CropRegionTests {
    @Test("letterboxes the whole picture without a half-pixel offset")
    func letterbox() {
        let region = CropRegion(center: .init(320, 240), side: 640, rotation: 0)
        let transform = region.uprightFromCrop(size: 128)
        #expect(transform(0, 0) == (0, -80))
        #expect(transform(64, 64) == (320, 240))
        #expect(transform(128, 16) == (640, 0))
    }

    @Test("turns clockwise as seen")
    func rotation() {
        let region = CropRegion(center: .init(100, 50), side: 40, rotation: .pi / 2)
        let transform = region.uprightFromCrop(size: 20)
        // The crop's right is the picture's bottom.
        let right = transform(20, 10)
        #expect(abs(right.x - 100) < 1e-4 && abs(right.y - 70) < 1e-4)
        let bottom = transform(10, 20)
        #expect(abs(bottom.x - 80) < 1e-4 && abs(bottom.y - 50) < 1e-4)
    }

    @Test("surrounds a detection by one and a half of its longer side, along the eyes")
    func detection() {
        let detection = FaceDetection(
            score: 1,
            center: .init(10, 20),
            size: .init(30, 40),
            points: [.init(x: 0, y: 0), .init(x: 10, y: 10), .zero, .init(x: 0, y: 10), .init(x: 0, y: 10)]
        )
        let region = CropRegion(around: detection)
        // The detector's box reaches a tenth higher than the mesh, along the face's own axis.
        #expect(abs(region.side - 1.5 * 36) < 1e-4)
        let aside = Float(2) / Float(2).squareRoot()
        #expect(abs(region.center.x - (10 - aside)) < 1e-4 && abs(region.center.y - (20 + aside)) < 1e-4)
        #expect(abs(region.rotation - .pi / 4) < 1e-6)
    }

    @Test("surrounds all landmarks, along the outer eye corners")
    func landmarks() {
        let points = FaceLandmarks()
        for index in 0..<FaceLandmarks.count {
            points[index] = PixelLandmark(100 + Float(index % 10), 200 + Float(index % 20), 0)
        }
        // 33 is at (103, 213) and 263 at (103, 203): the line between them points up.
        let region = CropRegion(around: points)
        #expect(region.center.x == 104.5 && region.center.y == 209.5 && region.side == 1.5 * 19)
        #expect(abs(region.rotation + .pi / 2) < 1e-6)
    }

    @Test("keeps its place in a picture of another size")
    func scaled() {
        let region = CropRegion(center: .init(99.5, 49.5), side: 40, rotation: 1).scaled(by: 0.5)
        #expect(region == CropRegion(center: .init(49.5, 24.5), side: 20, rotation: 1))
    }

    @Test(
        "knows the same face by overlap or by its centre",
        arguments: [(0, 100, true), (20, 100, true), (24, 60, true), (45, 100, false), (200, 100, false)]
            as [(Float, Float, Bool)]
    )
    func same(offset: Float, side: Float, same: Bool) {
        let one = CropRegion(center: .init(0, 0), side: 100, rotation: 0)
        let other = CropRegion(center: .init(offset, 0), side: side, rotation: 0.3)
        #expect(one.isSameFace(as: other) == same)
        #expect(other.isSameFace(as: one) == same)
    }
}
