import Foundation
import Frames
import Testing

@Suite("JPEG decoder")
struct JPEGDecoderTests {
    let size = FrameSize(width: 64, height: 48)

    func gradientJPEG(_ size: FrameSize) throws -> [UInt8] {
        try JPEGEncoder(quality: 95).encode(.gradient(size))
    }

    @Test("yields planar YUV of the gradient, with the stamp and the orientation of the JPEG frame")
    func decodes() throws {
        let jpeg = Frame.jpeg(try gradientJPEG(size), size, orientation: .right)
        let frame = try JPEGDecoder().decode(jpeg)
        #expect(frame.format == .planarYUV(chromaShiftX: 1, chromaShiftY: 1))
        #expect(frame.encoding == .jpeg)
        #expect(frame.size == size)
        #expect(frame.stamp == jpeg.stamp)
        #expect(frame.captured == jpeg.captured)
        #expect(frame.orientation == .right)
        for (x, y) in [(0, 0), (32, 10), (63, 47), (10, 40)] {
            let expected = 0.299 * Double(x) * 255 / 63 + 0.587 * Double(y) * 255 / 47 + 0.114 * 40
            #expect(abs(Double(frame.luma(x, y)) - expected) < 4, "at \(x), \(y)")
        }
        // Cr = 128 + (R − Y) / 1.402 at the right end of the top row: R = 255, G = 0.
        let red = try #require(frame.chroma(frame.planes.third, 31, 0))
        #expect(abs(red - 252) < 6)
    }

    @Test("halves, quarters and eighths width and height in the DCT, rounded up", arguments: [1, 2, 4, 8])
    func decimates(_ decimation: Int) throws {
        let size = FrameSize(width: 101, height: 75)
        let frame = try JPEGDecoder().decode(.jpeg(try gradientJPEG(size), size), decimation: decimation)
        #expect(frame.size.width == (101 + decimation - 1) / decimation)
        #expect(frame.size.height == (75 + decimation - 1) / decimation)
        let (x, y) = (frame.size.width / 2, frame.size.height / 2)
        // The middle of the source pixels that the decoded one stands for.
        let (sourceX, sourceY) = (
            Double(decimation) * (Double(x) + 0.5) - 0.5, Double(decimation) * (Double(y) + 0.5) - 0.5
        )
        let expected = 0.299 * sourceX * 2.55 + 0.587 * sourceY * 255 / 74 + 0.114 * 40
        #expect(abs(Double(frame.luma(x, y)) - expected) < 4)
        let u = try #require(frame.chroma(frame.planes.second, x / 2, y / 2))
        #expect(abs(Double(u) - (128 + (40 - expected) / 1.772)) < 12)
    }

    @Test("decodes gray JPEGs to one plane")
    func decodesGray() throws {
        let pixels = (0..<64 * 48).map { UInt8($0 % 64 * 4) }
        let source = Frame.test(pixels, size, .gray, bytesPerRow: 64, encoding: .jpeg)
        let frame = try JPEGDecoder().decode(.jpeg(try JPEGEncoder(quality: 95).encode(source), size))
        #expect(frame.format == .gray)
        #expect(frame.planes.second == nil)
        #expect(abs(frame.luma(32, 20) - 128) < 4)
    }

    @Test("a picture of endless passes is refused, in colour and in gray", arguments: [(400, true), (600, false)])
    func manyScans(count: Int, isAllowed: Bool) throws {
        // Progressive, 8×8, gray: its one coefficient is sent again and again.
        var jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
        jpeg += [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        jpeg += [0xFF, 0xC4, 0, 20, 0, 1] + Array(repeating: 0, count: 15) + [0]
        for _ in 0..<count { jpeg += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0, 0x7F] }
        jpeg += [0xFF, 0xD9]
        let frame = Frame.jpeg(jpeg, FrameSize(width: 8, height: 8))
        for isGray in [false, true] {
            let decoder = try JPEGDecoder()
            if isAllowed {
                #expect(try decoder.decode(frame, isGray: isGray).size == frame.size)
            } else {
                #expect(throws: JPEGError.self) { try decoder.decode(frame, isGray: isGray) }
            }
        }
    }

    @Test("decodes a real photograph as whole, and its smaller versions alike")
    func decodesPhotograph() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/local/share/facet/grace_hopper.jpg")))
        let size = FrameSize(width: 512, height: 600)
        let decoder = try JPEGDecoder()
        let whole = try decoder.decode(.jpeg(bytes, size))
        let eighth = try decoder.decode(.jpeg(bytes, size), decimation: 8)
        #expect(eighth.size == FrameSize(width: 64, height: 75))
        for (x, y) in [(10, 10), (32, 30), (50, 60)] {
            var sum = 0
            for row in 0..<8 { for column in 0..<8 { sum += whole.luma(x * 8 + column, y * 8 + row) } }
            #expect(abs(sum / 64 - eighth.luma(x, y)) < 6, "at \(x), \(y)")
        }
    }

    @Test("decodes a JPEG without Huffman tables, as webcams send them, to the same pixels")
    func insertsStandardTables() throws {
        var bytes = try gradientJPEG(size)
        let whole = try JPEGDecoder().decode(.jpeg(bytes, size))
        let tables = jpegSegments(bytes).filter { $0.marker == 0xC4 }
        #expect(!tables.isEmpty)
        for table in tables.reversed() { bytes.removeSubrange(table.range) }
        let bare = try JPEGDecoder().decode(.jpeg(bytes, size))
        for (x, y) in [(0, 0), (31, 17), (63, 47)] { #expect(bare.luma(x, y) == whole.luma(x, y)) }
    }

    @Test("refuses a JPEG cut short at any place", arguments: [0, 1, 20, 200, 630, 900])
    func refusesTruncated(_ length: Int) throws {
        let bytes = try gradientJPEG(size)
        #expect(bytes.count > 900)
        let error = #expect(throws: JPEGError.self) {
            try JPEGDecoder().decode(.jpeg(Array(bytes.prefix(length)) + [0, 0], size))
        }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("refuses a JPEG with damaged data, and decodes the next one")
    func refusesDamaged() throws {
        let decoder = try JPEGDecoder()
        let bytes = try gradientJPEG(FrameSize(width: 320, height: 240))
        var damaged = bytes
        let middle = damaged.count / 2
        damaged.removeSubrange(middle..<middle + 300)
        #expect(throws: JPEGError.self) { try decoder.decode(.jpeg(damaged, FrameSize(width: 320, height: 240))) }
        _ = try decoder.decode(.jpeg(bytes, FrameSize(width: 320, height: 240)))
    }

    @Test("whatever a cable does to a JPEG, it is decoded or refused, and the next whole one is decoded")
    func survivesNoise() throws {
        let decoder = try JPEGDecoder()
        let bytes = try gradientJPEG(size)
        var random = Noise(state: 1)
        var refused = 0
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 2..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do {
                _ = try decoder.decode(.jpeg(damaged, size))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 100)
        #expect(try decoder.decode(.jpeg(bytes, size)).size == size)
    }

    @Test("takes padding before and after the end marker, which some webcams send")
    func takesPadding() throws {
        let bytes = try gradientJPEG(size)
        _ = try JPEGDecoder().decode(.jpeg(bytes.dropLast(2) + [0, 0, 0, 0xFF, 0xD9, 0, 0, 0, 0], size))
    }

    @Test("refuses a JPEG of another size, but for rows that round up to whole blocks")
    func checksSize() throws {
        let bytes = try gradientJPEG(size)
        #expect(throws: JPEGError.sizeMismatch(expected: FrameSize(width: 640, height: 480), found: size)) {
            try JPEGDecoder().decode(.jpeg(bytes, FrameSize(width: 640, height: 480)))
        }
        let cropped = try JPEGDecoder().decode(.jpeg(bytes, FrameSize(width: 64, height: 40)))
        #expect(cropped.size.height == 40)
    }

    @Test("refuses a frame that holds pixels")
    func refusesPixels() throws {
        #expect(throws: JPEGError.notJPEG(.rgb24)) { try JPEGDecoder().decode(.gradient(size)) }
    }

    @Test("uses memory again once the frame is gone, and never while it is held")
    func reusesMemory() throws {
        let decoder = try JPEGDecoder()
        let jpeg = Frame.jpeg(try gradientJPEG(size), size)
        var held: Frame? = try decoder.decode(jpeg)
        let first = held?.planes.first.base
        let second = try decoder.decode(jpeg)
        #expect(second.planes.first.base != first)
        held = nil
        let third = try decoder.decode(jpeg)
        #expect(third.planes.first.base == first)
    }

    @Test("tells the size from the header, and decodes no smaller than what will be drawn")
    func fromMemory() throws {
        let jpeg = try gradientJPEG(FrameSize(width: 128, height: 96))
        let decoder = try JPEGDecoder()
        #expect(try jpeg.withUnsafeBytes { try decoder.size(of: $0) } == FrameSize(width: 128, height: 96))
        for count in 0..<20 {
            #expect(throws: JPEGError.self) { try decoder.decode(Array(jpeg.prefix(count))) }
        }
        #expect(throws: JPEGError.self) { try decoder.decode(Array("not a picture at all, however long".utf8)) }
        #expect(try decoder.decode(jpeg).size == FrameSize(width: 128, height: 96))
        #expect(
            try decoder.decode(jpeg, for: FrameSize(width: 40, height: 40)).size == FrameSize(width: 64, height: 48)
        )
        #expect(try decoder.decode(jpeg, for: FrameSize(width: 500, height: 9)).size.width == 128)
        decoder.maximumPixels = 12_287
        #expect(throws: JPEGError.tooLarge(FrameSize(width: 128, height: 96), limit: 12_287)) {
            try decoder.decode(jpeg)
        }
    }
}
