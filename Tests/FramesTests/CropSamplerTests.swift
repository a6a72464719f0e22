import FaceMetadata
import Testing

@testable import Frames

@Suite("Crop sampler")
struct CropSamplerTests {
    private static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
    private static let size = FrameSize(width: 40, height: 30)
    private static let jpegGray = YUVEncoding(matrix: .bt601, isFullRange: true)

    /// A transform with turning, scaling and a part outside the picture.
    private static let turned = AffineTransform(a: 1.1, b: -0.4, c: 0.4, d: 1.1, tx: -3, ty: -6)

    @Test(
        "gives the same crop from every format of the same picture",
        arguments: [
            SyntheticPicture.Layout.i420, .i422, .i444, .nv12, .yuyv, .bgr24, .bgra, .rgba,
        ],
        [YUVEncoding.video, .jpeg, YUVEncoding(matrix: .bt709, isFullRange: false)]
    )
    func formats(layout: SyntheticPicture.Layout, encoding: YUVEncoding) throws {
        let sampler = CropSampler(size: 24, border: .replicate, range: 0...255)
        let reference = try crop(SyntheticPicture(Self.size, .rgb24, encoding), sampler, Self.turned)
        let other = try crop(SyntheticPicture(Self.size, layout, encoding), sampler, Self.turned)
        // Smooth colours: what is left is the rounding of three samples of 8 bits and of halved chroma.
        let worst = zip(reference, other).map { abs($0 - $1) }.max() ?? .infinity
        #expect(worst < 4.5)
    }

    @Test("gives gray in all three channels")
    func gray() throws {
        let sampler = CropSampler(size: 8, border: .replicate, range: 0...1)
        let values = try crop(SyntheticPicture(Self.size, .gray, Self.jpegGray), sampler, Self.identity)
        #expect(values[0] == values[1] && values[1] == values[2])
        #expect(abs(values[0] - Float(SyntheticPicture.luma(0, 0)) / 255) < 1e-4)
    }

    @Test("interpolates between pixel centres at integers")
    func interpolation() throws {
        let sampler = CropSampler(size: 1, border: .replicate, range: 0...255)
        let picture = SyntheticPicture(FrameSize(width: 2, height: 2), gray: [0, 100, 40, 240])
        let middle = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0.25, ty: 0.5)
        let value = try crop(picture, sampler, middle)[0]
        // (0 · ¾ + 100 · ¼ + 40 · ¾ + 240 · ¼) / 2
        #expect(abs(value - 57.5) < 0.01)
    }

    @Test("puts the range's ends at black and white")
    func range() throws {
        let picture = SyntheticPicture(FrameSize(width: 2, height: 1), gray: [0, 255])
        let sampler = CropSampler(size: 2, border: .replicate, range: -1...1)
        let values = try crop(picture, sampler, Self.identity)
        #expect(abs(values[0] + 1) < 1e-4)
        #expect(abs(values[3] - 1) < 1e-4)
    }

    @Test("samples the upright picture whatever the stored orientation", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        // Stored pixels are numbered; the upright corners follow from EXIF's definition of each value.
        let picture = SyntheticPicture(FrameSize(width: 3, height: 2), gray: [10, 20, 30, 40, 50, 60], orientation)
        let upright = orientation.uprightSize(of: FrameSize(width: 3, height: 2))
        let corners: [(Float, Float)] = [(0, 0), (Float(upright.width - 1), 0), (0, Float(upright.height - 1))]
        let sampler = CropSampler(size: 1, border: .replicate, range: 0...255)
        let found = try corners.map { x, y in
            Int(
                try crop(picture, sampler, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y))[0].rounded()
            )
        }
        let expected: [Orientation: [Int]] = [
            .up: [10, 30, 40], .upMirrored: [30, 10, 60], .down: [60, 40, 30], .downMirrored: [40, 60, 10],
            .leftMirrored: [10, 40, 30], .right: [40, 10, 60], .rightMirrored: [60, 30, 40], .left: [30, 60, 10],
        ]
        #expect(found == expected[orientation])
    }

    @Test("repeats the edge, or fades to black within one pixel", arguments: [1, 3])
    func borders(channels: Int) throws {
        let picture = SyntheticPicture(FrameSize(width: 1, height: 1), gray: [200])
        let left = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -0.25, ty: 0)
        let replicated = CropSampler(size: 1, border: .replicate, range: 0...255)
        let black = CropSampler(size: 1, border: .black, range: 0...255)
        let away = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 5)
        #expect(try crop(picture, replicated, left)[channels - 1] == 200)
        #expect(abs(try crop(picture, black, left)[channels - 1] - 150) < 0.01)
        #expect(try crop(picture, replicated, away)[channels - 1] == 200)
        #expect(try crop(picture, black, away)[channels - 1] == 0)
    }

    @Test("reads only inside its planes, wherever the crop lies", arguments: [-500, -7.5, -1, 0, 0.5, 28, 39.5, 900])
    func bounds(start: Float) throws {
        // The picture's planes are exactly as long as they must be: the sanitizer sees a byte beyond.
        let sampler = CropSampler(size: 16, border: .black, range: 0...1)
        for layout in SyntheticPicture.Layout.allCases {
            let picture = SyntheticPicture(FrameSize(width: 39, height: 29), layout, .video)
            for step: Float in [-3, -0.3, 0, 0.3, 3] {
                let transform = AffineTransform(a: step, b: 0.7, c: -0.7, d: step, tx: start, ty: start)
                let values = try crop(picture, sampler, transform)
                #expect(values.allSatisfy { $0 >= -0.001 && $0 <= 1.001 })
            }
        }
    }

    @Test("refuses what has no pixels")
    func unreadable() {
        let sampler = CropSampler(size: 4, border: .replicate, range: 0...1)
        let picture = SyntheticPicture(Self.size, .i420, .video)
        var output = [Float](repeating: 7, count: sampler.count)
        var jpeg = picture.frame
        jpeg.format = .jpeg
        var planeless = picture.frame
        planeless.planes.third = nil
        var empty = picture.frame
        empty.size = FrameSize(width: 0, height: 30)
        for frame in [jpeg, planeless, empty] {
            #expect(!sampler.sample(frame, through: Self.identity, into: &output))
        }
        for bad in [Float.nan, .infinity, 1e30] {
            let transform = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: bad, ty: 0)
            #expect(!sampler.sample(picture.frame, through: transform, into: &output))
        }
        #expect(output.allSatisfy { $0 == 7 })
    }

    @Test("gives the same numbers in rows as pixel by pixel", arguments: SyntheticPicture.Layout.allCases)
    func rows(_ layout: SyntheticPicture.Layout) throws {
        for (encoding, border) in [(YUVEncoding.video, CropSampler.Border.black), (.jpeg, .replicate)] {
            let picture = SyntheticPicture(FrameSize(width: 39, height: 29), layout, encoding)
            let sampler = CropSampler(size: 27, border: border, range: -1...1)
            let single = CropSampler(size: 1, border: border, range: -1...1)
            for (step, turn, start): (Float, Float, Float) in [
                (1, 0, 3), (0.375, 0.25, 11.25), (-0.75, 0.5, 26.5), (1.875, -0.25, -9.25), (0.0625, 1.25, -7),
                (3, 3, -40),
            ] {
                let transform = AffineTransform(a: step, b: -turn, c: turn, d: step, tx: start, ty: start)
                let values = try crop(picture, sampler, transform)
                for index in stride(from: 0, to: values.count, by: 3) {
                    let (row, column) = (index / 3 / sampler.width, index / 3 % sampler.width)
                    let (x, y) = transform(Float(column), Float(row))
                    let pixel = try crop(picture, single, AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y))
                    #expect(pixel == Array(values[index..<index + 3]), "\(column), \(row)")
                }
            }
        }
    }

    @Test("gives a wide crop the pixels of its narrow parts", arguments: SyntheticPicture.Layout.allCases)
    func width(layout: SyntheticPicture.Layout) throws {
        // Wider than what is sampled at once, and with columns outside the picture on both sides.
        let wide = 700
        let narrow = 100
        let picture = SyntheticPicture(Self.size, layout, .video)
        for border in [CropSampler.Border.replicate, .black] {
            var map = AffineTransform(a: 0.07, b: 0.02, c: -0.01, d: 0.07, tx: -3, ty: 11)
            let sampler = CropSampler(width: wide, height: 2, border: border, range: 0...255)
            let whole = try crop(picture, sampler, map)
            let part = CropSampler(width: narrow, height: 2, border: border, range: 0...255)
            for start in stride(from: 0, to: wide, by: narrow) {
                (map.tx, map.ty) = (-3 + 0.07 * Float(start), 11 - 0.01 * Float(start))
                let pixels = try crop(picture, part, map)
                for row in 0..<2 {
                    let expected = whole[3 * (row * wide + start)..<3 * (row * wide + start + narrow)]
                    let found = pixels[3 * row * narrow..<3 * (row + 1) * narrow]
                    #expect(zip(expected, found).allSatisfy { abs($0 - $1) < 2 })
                }
            }
        }
    }

    private func crop(
        _ picture: SyntheticPicture,
        _ sampler: CropSampler,
        _ transform: AffineTransform
    ) throws -> [Float] {
        var output = [Float](repeating: .nan, count: sampler.count)
        try #require(sampler.sample(picture.frame, through: transform, into: &output))
        return output
    }
}
