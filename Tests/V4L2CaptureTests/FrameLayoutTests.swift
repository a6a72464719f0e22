import CV4L2
import Frames
import Testing

@testable import V4L2Capture

@Suite("Frame layout")
struct FrameLayoutTests {
    func layout(
        _ format: FourCC,
        _ width: Int = 64,
        _ height: Int = 48,
        bytesPerLine: Int = 0,
        _ set: (inout v4l2_pix_format) -> Void = { _ in }
    ) -> FrameLayout? {
        var answer = v4l2_pix_format()
        answer.width = UInt32(width)
        answer.height = UInt32(height)
        answer.pixelformat = format.rawValue
        answer.bytesperline = UInt32(bytesPerLine)
        set(&answer)
        return FrameLayout(answer)
    }

    @Test(
        "knows how many bytes a frame has",
        arguments: [
            (FourCC.yuyv, 64 * 48 * 2), (.grey, 64 * 48), (.nv12, 64 * 72), (.yu12, 64 * 72), (.yv12, 64 * 72),
            (.yuv422p, 64 * 96), (.rgb3, 64 * 144), (.bgr3, 64 * 144), (.xr24, 64 * 192),
        ]
    )
    func countsBytes(_ format: FourCC, _ bytes: Int) throws {
        let layout = try #require(self.layout(format))
        #expect(layout.byteCount == bytes)
        #expect(layout.fits(bytes))
        #expect(!layout.fits(bytes - 1))
    }

    @Test("finds the planes, with padded rows and V before U too")
    func findsPlanes() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 80 * 72, alignment: 16)
        defer { memory.deallocate() }
        func offsets(_ layout: FrameLayout) -> [Int?] {
            let planes = layout.planes(at: memory, byteCount: layout.byteCount)
            return [planes.0, planes.1, planes.2].map { $0.map { $0.base - UnsafeRawPointer(memory) } }
        }
        let luma = 80 * 48
        #expect(offsets(try #require(layout(.nv12, bytesPerLine: 80))) == [0, luma, nil])
        #expect(offsets(try #require(layout(.yu12, bytesPerLine: 80))) == [0, luma, luma + 40 * 24])
        #expect(offsets(try #require(layout(.yv12, bytesPerLine: 80))) == [0, luma + 40 * 24, luma])
        #expect(try #require(layout(.nv12, bytesPerLine: 80)).byteCount == 80 * 72)
    }

    @Test("takes the driver's word on colours, and V4L2's defaults without it")
    func readsEncoding() throws {
        #expect(try #require(layout(.yuyv)).encoding == .video)
        #expect(try #require(layout(.mjpg)).encoding == .jpeg)
        let full = try #require(layout(.yuyv) { $0.quantization = V4L2_QUANTIZATION_FULL_RANGE.rawValue })
        #expect(full.encoding == YUVEncoding(matrix: .bt601, isFullRange: true))
        let hd = try #require(layout(.yuyv) { $0.colorspace = V4L2_COLORSPACE_REC709.rawValue })
        #expect(hd.encoding == YUVEncoding(matrix: .bt709, isFullRange: false))
        let webcam = try #require(layout(.yuyv) { $0.colorspace = V4L2_COLORSPACE_SRGB.rawValue })
        #expect(webcam.encoding == .video)
    }

    @Test("refuses formats it can't read and answers without a size")
    func refuses() {
        #expect(layout(FourCC(rawValue: 0x3436_3248)) == nil)
        #expect(layout(.yuyv, 0, 48) == nil)
    }

    @Test("names of formats survive both ways", arguments: ["YUYV", "MJPG", "GREY", "Y8", "NV12"])
    func namesFormats(_ name: String) throws {
        #expect(try #require(FourCC(name)).description == name)
        #expect(FourCC("TOOLONG") == nil)
    }

    @Test("the constants are what the kernel's header says")
    func matchesKernel() {
        let pairs: [(FourCC, String)] = [
            (.yuyv, "YUYV"), (.nv12, "NV12"), (.mjpg, "MJPG"), (.jpeg, "JPEG"), (.grey, "GREY"), (.yu12, "YU12"),
            (.yv12, "YV12"), (.yuv422p, "422P"), (.rgb3, "RGB3"), (.bgr3, "BGR3"), (.xr24, "XR24"),
        ]
        for (format, name) in pairs { #expect(format == FourCC(name), "\(name)") }
    }
}
