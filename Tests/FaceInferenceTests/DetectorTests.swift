import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import MediaFiles
import Testing

@testable import FaceInference

@Suite("Detector")
struct DetectorTests {
    private let liteRT: LiteRT

    init() throws { liteRT = try LiteRT.shared(in: ModelDirectory.find()) }

    /// The points of a portrait's reference mesh that the detector finds: the eyes' middles, the nose's tip, the
    /// mouth's corners.
    private func points(of portrait: Portrait) throws -> [SIMD2<Float>] {
        let mesh = try portrait.reference()
        func middle(_ indices: Int...) -> SIMD2<Float> {
            indices.reduce(.zero) { $0 + SIMD2(mesh[$1].x, mesh[$1].y) } / Float(indices.count)
        }
        return [middle(33, 133), middle(263, 362), middle(4), middle(61), middle(291)]
    }

    @Test(
        "finds a portrait's face, eyes, nose and mouth at every size of its input and in every orientation",
        arguments: Portrait.allCases
    )
    func portraits(portrait: Portrait) throws {
        let frame = try portrait.frame()
        let expected = try points(of: portrait)
        let finder = try FaceFinder(liteRT)
        for pixels in [160, 320, 640] {
            for quarter in 0..<4 {
                let rotation = Float(quarter) * .pi / 2
                // A picture that is turned back has an upright face; so only the whole turn finds it surely.
                let found = try finder.find(in: frame, pixels: pixels, rotation: rotation)
                guard quarter == 0 else { continue }
                let face = try #require(found.first)
                #expect(face.score > 0.7, "\(pixels)")
                let unit = face.side
                for (place, wanted) in zip(face.points, expected) {
                    let off = place - wanted
                    #expect(hypotf(off.x, off.y) < 0.12 * unit, "\(pixels): \(place), not \(wanted)")
                }
            }
        }
    }

    @Test("sees a brightened picture in the dark, and measures the brightness that there is")
    func darkness() throws {
        let finder = try FaceFinder(liteRT)
        let portrait = try Portrait.astronaut.frame()
        /// The portrait with a fraction of its light, scaled so that its face is smaller by `factor`.
        func seen(_ light: Float, _ factor: Float) throws -> Frame {
            let scaling = AffineTransform(a: factor, b: 0, c: 0, d: factor, tx: 0, ty: 0)
            let picture = try portrait.resampled(side: 512, through: scaling)
            let bytes = UnsafeRawBufferPointer(start: picture.planes.first.base, count: 3 * 512 * 512)
            let pixels = bytes.map { UInt8((Float($0) * light).rounded()) }
            return try Frame(copying: pixels, size: picture.size, format: .rgb24, stamp: picture.stamp)
        }
        #expect(try !finder.find(in: try seen(0.04, 4), pixels: 640).isEmpty)
        let bright = try #require(try finder.find(in: seen(1, 2), pixels: 640).first)
        let full = try #require(try finder.confirm(bright, in: seen(1, 2)))
        let dark = try #require(try finder.confirm(bright, in: seen(0.1, 2)))
        #expect(abs(dark.luminance - full.luminance / 10) < 0.003)
        // Black beyond the picture's corner does not make a bright picture dark.
        let detector = try FaceDetector(width: 160, height: 160, in: liteRT)
        let corner = CropRegion(center: .zero, side: 512, rotation: 0)
        for light in [1, 0.1] as [Float] {
            _ = try detector.detect(in: seen(light, 1), region: corner, minimumScore: 0.5)
            #expect(detector.isBrightened == (light < 1))
        }
    }

    @Test("finds a face that lies on its side where the search is turned, at the same place")
    func turned() throws {
        let upright = try Portrait.allCases[0].frame()
        let finder = try FaceFinder(liteRT)
        let expected = try #require(try finder.find(in: upright, pixels: 320).first)
        var lying = upright
        lying.orientation = .right
        let size = lying.uprightSize
        let found = (0..<4).compactMap { quarter in
            try? finder.find(in: lying, pixels: 320, rotation: Float(quarter) * .pi / 2).first
        }
        let best = try #require(found.max { $0.score < $1.score })
        #expect(best.score > 0.8 * expected.score)
        // The picture's right is below now.
        let place = size.share(of: best.center)
        let before = upright.uprightSize.share(of: expected.center)
        #expect(abs(place.x - (1 - before.y)) < 0.03 && abs(place.y - before.x) < 0.03)
        #expect(abs(best.size.x - expected.size.y) < 0.15 * expected.side)
    }

    private func detection(_ x: Float, _ score: Float, side: Float = 10) -> FaceDetection {
        let center = SIMD2(x, 0)
        let points = Array(repeating: center, count: 5)
        return FaceDetection(score: score, center: center, size: SIMD2(side, side), points: points)
    }

    @Test("of boxes of one face the surest is left, and other faces stay")
    func best() {
        let found = [detection(2, 0.5), detection(0, 1), detection(50, 0.7)]
        #expect(FaceDetection.best(found, mostOverlap: 0.45).map(\.score) == [1, 0.7])
        // 4 apart: 6 / 14 of the union.
        #expect(FaceDetection.best([detection(0, 0.9), detection(4, 0.8)], mostOverlap: 0.45).count == 2)
        #expect(FaceDetection.best([], mostOverlap: 0.45).isEmpty)
    }

    @Test("a smaller face before a larger one is another face")
    func before() {
        let large = CropRegion(around: detection(100, 0.9, side: 100))
        #expect(large.isSameFace(as: CropRegion(around: detection(110, 0.9, side: 90))))
        #expect(!large.isSameFace(as: CropRegion(around: detection(105, 0.9, side: 50))))
        #expect(!large.isSameFace(as: CropRegion(around: detection(180, 0.9, side: 100))))
    }

    @Test("a search takes no more pixels than the smallest wanted face needs")
    func pixels() throws {
        func pixels(
            _ minimumSize: Double,
            _ accuracy: FaceAnalyzer.Options.Accuracy = .standard,
            region: NormalizedRect? = nil
        ) throws -> Int {
            var options = FaceAnalyzer.Options()
            options.minimumSize = minimumSize
            options.accuracy = accuracy
            options.region = region
            return try FaceFinder(liteRT, options).pixels(in: FrameSize(width: 1280, height: 720))
        }
        #expect(try pixels(0) == 640)
        // 72 pixels of 1280, which 12 of 213 are.
        #expect(try pixels(0.1) == 224)
        #expect(try pixels(0.5) == 192)
        #expect(try pixels(0.001, .high) == 1280)
        #expect(try pixels(0.05, region: NormalizedRect(x: 0, y: 0, width: 0.5, height: 1)) == 256)
    }
}
