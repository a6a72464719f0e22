import FaceMetadata
import Testing

@testable import Frames

@Suite("Luma sampler")
struct LumaSamplerTests {
    private static let size = FrameSize(width: 40, height: 30)
    /// A region that is turned and scaled, and partly outside the picture.
    private static let turned = AffineTransform(a: 1.1, b: -0.4, c: 0.4, d: 1.1, tx: -3, ty: -6)

    @Test(
        "gives the brightness that the crop of the same picture has, from every format",
        arguments: [SyntheticPicture.Layout.i420, .i422, .i444, .nv12, .yuyv, .bgr24, .bgra, .rgba, .rgb24],
        [YUVEncoding.video, .jpeg]
    )
    func formats(layout: SyntheticPicture.Layout, encoding: YUVEncoding) throws {
        let picture = SyntheticPicture(Self.size, layout, encoding)
        let crop = CropSampler(size: 24, border: .replicate, range: 0...255)
        var colours = [Float](repeating: 0, count: crop.count)
        #expect(crop.sample(picture.frame, through: Self.turned, into: &colours))
        let sampler = LumaSampler(width: 24, height: 20)
        var found = [UInt8](repeating: 0, count: 24 * 20)
        #expect(sampler.sample(picture.frame, through: Self.turned, into: &found))
        for index in found.indices {
            let pixel = colours[3 * index..<3 * index + 3].map(Double.init)
            let expected = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
            // Colours beyond RGB are cut off in the crop.
            #expect(abs(Double(found[index]) - expected) < 6)
        }
    }

    @Test("refuses what has no pixels")
    func unreadable() {
        var frame = SyntheticPicture(Self.size, .rgb24, .video).frame
        var byte: UInt8 = 7
        let sampler = LumaSampler(width: 1, height: 1)
        let nowhere = AffineTransform(a: .nan, b: 0, c: 0, d: 1, tx: 0, ty: 0)
        #expect(!sampler.sample(frame, through: nowhere, into: &byte))
        frame.format = .jpeg
        #expect(!sampler.sample(frame, through: Self.turned, into: &byte))
        #expect(byte == 7)
    }
}
