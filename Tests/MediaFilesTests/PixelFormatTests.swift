import CFFmpeg
import Foundation
import Frames
import Testing

@testable import MediaFiles

@Suite("Pixel formats")
struct PixelFormatTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// FFmpeg's format, what the frames are in, and whether the colours survive.
    struct Expectation: CustomTestStringConvertible {
        var name: String
        var format: PixelFormat
        var encoding = YUVEncoding.video
        var isGrey = false

        var testDescription: String { name }
    }

    static let direct = [
        Expectation(name: "yuv420p", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)),
        Expectation(name: "yuv422p", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        Expectation(name: "yuv444p", format: .planarYUV(chromaShiftX: 0, chromaShiftY: 0)),
        Expectation(name: "yuv440p", format: .planarYUV(chromaShiftX: 0, chromaShiftY: 1)),
        Expectation(name: "yuv411p", format: .planarYUV(chromaShiftX: 2, chromaShiftY: 0)),
        Expectation(name: "yuv410p", format: .planarYUV(chromaShiftX: 2, chromaShiftY: 2)),
        Expectation(name: "nv12", format: .nv12),
        Expectation(name: "yuyv422", format: .yuyv),
        Expectation(name: "gray", format: .gray, encoding: .jpeg, isGrey: true),
        Expectation(name: "rgb24", format: .rgb24),
        Expectation(name: "bgr24", format: .bgr24),
        Expectation(name: "rgb0", format: .rgba),
        Expectation(name: "bgr0", format: .bgra),
        Expectation(name: "0rgb", format: .packedRGB(bytesPerPixel: 4, red: 1, green: 2, blue: 3)),
        Expectation(name: "0bgr", format: .packedRGB(bytesPerPixel: 4, red: 3, green: 2, blue: 1)),
    ]

    static let converted = [
        Expectation(name: "yuv420p10le", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)),
        Expectation(name: "yuv422p10le", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        Expectation(name: "yuv444p12le", format: .planarYUV(chromaShiftX: 0, chromaShiftY: 0)),
        Expectation(name: "nv21", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)),
        Expectation(name: "uyvy422", format: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        Expectation(name: "gbrp", format: .rgb24),
        Expectation(name: "rgb565le", format: .rgb24),
        Expectation(name: "rgb48le", format: .rgb24),
        Expectation(name: "rgba", format: .rgba),
        Expectation(name: "bgra", format: .rgba),
        Expectation(name: "argb", format: .rgba),
        Expectation(name: "abgr", format: .rgba),
        Expectation(name: "gray16le", format: .gray, encoding: .jpeg, isGrey: true),
    ]

    @Test("come as they are, or as the nearest one that a frame can describe", arguments: direct + converted)
    func mapped(expectation: Expectation) throws {
        try FFmpeg.load()
        let format = try #require(
            (0..<AV_PIX_FMT_NB.rawValue).map { AVPixelFormat($0) }.first { format in
                ffmpeg.av_pix_fmt_desc_get(format).map { String(cString: $0.pointee.name) } == expectation.name
            }
        )
        #expect((PictureLayout.direct(format) != nil) == Self.direct.contains { $0.name == expectation.name })
        let path = scratch.path("raw.nut")
        try TestPicture.writeRaw(path, format: format, encoding: expectation.encoding)
        var colours: [[Colour]] = []
        let recording = try Recording.of(path) { frame in
            if let found = try? frame.quarterColours() { colours.append(found) }
        }
        #expect(recording.isFinished, "\(String(describing: recording.failure))")
        #expect(recording.formats == [expectation.format])
        let wanted = TestPicture.quarters.map { expectation.isGrey ? $0.brightness : $0 }
        #expect(colours.count == 3)
        for found in colours { #expect(zip(found, wanted).allSatisfy { $0.isNear($1) }, "\(found)") }
    }

    @Test("state their colours as the clip does, or as players assume")
    func encodings() throws {
        let small = scratch.path("small.mp4")
        let large = scratch.path("large.mp4")
        try TestPicture.writeClip(small, times: [0])
        try TestPicture.writeClip(large, times: [0], size: FrameSize(width: 1280, height: 720))
        #expect(try PictureFile.load(small).encoding == YUVEncoding(matrix: .bt601, isFullRange: false))
        #expect(try PictureFile.load(large).encoding == YUVEncoding(matrix: .bt709, isFullRange: false))
        #expect(try areTheQuarters(PictureFile.load(large).quarterColours()))
    }
}
