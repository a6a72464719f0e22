import FaceMetadata
import Testing

@testable import Frames

@Suite("Drawing of a frame's pixels")
struct FrameDrawingTests {
    @Test(
        "gives the same colours in blocks of 16 pixels as one by one, and beyond the last block",
        arguments: SyntheticPicture.Layout.allCases,
        [YUVEncoding.video, .jpeg]
    )
    func blocks(layout: SyntheticPicture.Layout, encoding: YUVEncoding) throws {
        // The picture's colours go beyond RGB's range in the last columns.
        let size = FrameSize(width: 46, height: 6)
        let frame = SyntheticPicture(size, layout, encoding).frame
        var pool = PixelMemoryPool()
        let single = try #require(frame.drawnUpright(of: size, in: &pool))
        var pixels = [UInt8](repeating: 0, count: 4 * size.width * size.height)
        #expect(frame.drawBGRA(stride: 1, into: &pixels, bytesPerRow: 4 * size.width))
        for index in 0..<size.width * size.height {
            let expected = single.planes.first.bytes + 3 * index
            #expect(Array(pixels[4 * index..<4 * index + 4]) == [expected[2], expected[1], expected[0], 255])
        }
    }
}
