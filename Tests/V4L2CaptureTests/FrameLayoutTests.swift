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
            (.y16, 64 * 96), (.y12, 64 * 96), (.y10, 64 * 96),
        ]
    )
    func countsBytes(_ format: FourCC, _ bytes: Int) throws {
        let layout = try #require(self.layout(format))
        #expect(layout.byteCount == bytes)
    }

    @Test("finds the planes, with padded rows and V before U too")
    func findsPlanes() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 80 * 72, alignment: 16)
        defer { memory.deallocate() }
        func offsets(_ layout: FrameLayout) -> [Int?] {
            let planes = layout.planes(at: memory, byteCount: layout.byteCount)
            return [planes.first, planes.second, planes.third].map { $0.map { $0.base - UnsafeRawPointer(memory) } }
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

    @Test("the depth of gray words is measured, and never shrinks")
    func measuresDepth() {
        var depth = GrayDepth(atLeast: 8)
        func narrowed(_ words: [UInt16]) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 4) { bytes, count in
                guard let base = bytes.baseAddress else { return }
                // Rows of two words, with one of padding.
                let rows = words[0..<2] + [0xFFFF] + words[2..<4] + [0xFFFF]
                Array(rows).withUnsafeBytes { rows in
                    if let rows = rows.baseAddress {
                        depth.narrow(rows, bytesPerRow: 6, FrameSize(width: 2, height: 2), into: base)
                    }
                }
                count = 4
            }
        }
        #expect(narrowed([0, 1, 100, 255]) == [0, 1, 100, 255] && depth.bits == 8)
        #expect(narrowed([0, 512, 1023, 4]) == [0, 128, 255, 1] && depth.bits == 10)
        #expect(narrowed([0, 512, 4, 8]) == [0, 128, 1, 2] && depth.bits == 10)
        #expect(narrowed([0xFFC0, 0x8000, 0x0100, 0]) == [255, 128, 1, 0] && depth.bits == 16)
    }

    @Test("a word of a thousand that is too high is white, and does not change the depth")
    func strayWords() {
        var words = [UInt16](repeating: 512, count: 2000)
        var bytes = [UInt8](repeating: 0, count: words.count)
        var depth = GrayDepth(atLeast: 10)
        func narrow() {
            words.withUnsafeBytes { words in
                bytes.withUnsafeMutableBytes { bytes in
                    guard let words = words.baseAddress, let bytes = bytes.baseAddress else { return }
                    depth.narrow(words, bytesPerRow: 200, FrameSize(width: 100, height: 20), into: bytes)
                }
            }
        }
        (words[0], words[1999]) = (0xFFFF, 1024)
        narrow()
        #expect(depth.bits == 10 && bytes[0] == 255 && bytes[1] == 128 && bytes[1999] == 255)
        words[7] = 0x0FFF
        narrow()
        #expect(depth.bits == 11 && bytes[0] == 255 && bytes[1] == 64)
        // In the first picture too, which shows the depth.
        depth = GrayDepth(atLeast: 8)
        narrow()
        #expect(depth.bits == 11 && bytes[0] == 255 && bytes[1] == 64)
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
            (.y16, "Y16"), (.y12, "Y12"), (.y10, "Y10"),
        ]
        for (format, name) in pairs { #expect(format == FourCC(name), "\(name)") }
    }
}
