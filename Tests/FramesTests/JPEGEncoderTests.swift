import Frames
import Testing

@Suite("JPEG encoder")
struct JPEGEncoderTests {
    let size = FrameSize(width: 64, height: 48)

    /// The brightness of the encoded picture at a place given in 0…1 of its width and height.
    func luma(_ jpeg: [UInt8], _ size: FrameSize, _ x: Double, _ y: Double) throws -> Int {
        let frame = try JPEGDecoder().decode(.jpeg(jpeg, size))
        return frame.luma(Int(x * Double(size.width - 1)), Int(y * Double(size.height - 1)))
    }

    @Test("applies all eight orientations", arguments: Orientation.allCases)
    func turnsUpright(_ orientation: Orientation) throws {
        let frame = Frame.gradient(size, orientation: orientation)
        let jpeg = try JPEGEncoder(quality: 95).encode(frame)
        let upright = frame.uprightSize
        for (x, y) in [(0.1, 0.1), (0.9, 0.2), (0.3, 0.8)] {
            let (column, row) = (Int(x * Double(upright.width - 1)), Int(y * Double(upright.height - 1)))
            let stored = orientation.storedFromUpright(stored: size)(Float(column), Float(row))
            let expected = 0.299 * Double(stored.x) * 255 / 63 + 0.587 * Double(stored.y) * 255 / 47 + 0.114 * 40
            #expect(abs(Double(try luma(jpeg, upright, x, y)) - expected) < 5, "at \(x), \(y)")
        }
    }

    @Test("makes a wide picture narrower and keeps its shape")
    func shrinks() throws {
        let jpeg = try JPEGEncoder(quality: 90, maximumWidth: 100).encode(
            .gradient(FrameSize(width: 400, height: 300))
        )
        let middle = try luma(jpeg, FrameSize(width: 100, height: 75), 0.5, 0.5)
        #expect(abs(middle - 117) < 6)
    }

    @Test("takes the planes of a decoded JPEG as they are")
    func encodesPlanes() throws {
        let decoded = try JPEGDecoder().decode(.jpeg(try JPEGEncoder(quality: 95).encode(.gradient(size)), size))
        let again = try JPEGEncoder(quality: 95).encode(decoded)
        for (x, y) in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)] {
            let before = decoded.luma(Int(x * 63), Int(y * 47))
            #expect(abs(try luma(again, size, x, y) - before) <= 3)
        }
    }

    @Test("widens the range of video brightness, in each YUV format")
    func widensRange() throws {
        // 16 is black and 235 white in video: a JPEG says 0 and 255.
        let left = [UInt8](repeating: 16, count: 32)
        let right = [UInt8](repeating: 235, count: 32)
        let lumaRows = (0..<48).flatMap { _ in left + right }
        let yuyvRows = (0..<48).flatMap { _ in (left + right).flatMap { [$0, UInt8(128)] } }
        let chroma = [UInt8](repeating: 128, count: 64 * 24)
        var nv12 = Frame.test(lumaRows + chroma, size, .nv12, bytesPerRow: 64)
        nv12.planes.second = Frame.Plane(base: nv12.planes.first.base + 64 * 48, bytesPerRow: 64)
        var planar = Frame.test(
            lumaRows + chroma,
            size,
            .planarYUV(chromaShiftX: 1, chromaShiftY: 1),
            bytesPerRow: 64
        )
        planar.planes.second = Frame.Plane(base: planar.planes.first.base + 64 * 48, bytesPerRow: 32)
        planar.planes.third = Frame.Plane(base: planar.planes.first.base + 64 * 60, bytesPerRow: 32)
        let frames = [
            Frame.test(lumaRows, size, .gray, bytesPerRow: 64),
            Frame.test(yuyvRows, size, .yuyv, bytesPerRow: 128), nv12, planar,
        ]
        for frame in frames {
            let jpeg = try JPEGEncoder(quality: 95).encode(frame)
            #expect(try luma(jpeg, size, 0.2, 0.5) < 4, Comment(rawValue: "\(frame.format)"))
            #expect(try luma(jpeg, size, 0.8, 0.5) > 251, Comment(rawValue: "\(frame.format)"))
        }
    }

    @Test("packed RGB gives the same JPEG whether the codec reads it or it is drawn first")
    func encodesPackedRGB() throws {
        let drawn = PixelFormat.packedRGB(bytesPerPixel: 4, red: 1, green: 2, blue: 3)
        let jpegs = try [drawn, .rgb24, .bgr24, .rgba, .bgra].map { format in
            guard case .packedRGB(let step, let red, let green, let blue) = format else { return [UInt8]() }
            var bytes = [UInt8](repeating: 255, count: step * size.width * size.height)
            for pixel in 0..<size.width * size.height {
                let place = step * pixel
                (bytes[place + red], bytes[place + green]) = (UInt8(4 * (pixel % 64)), UInt8(5 * (pixel / 64)))
                bytes[place + blue] = UInt8(pixel % 200)
            }
            return try JPEGEncoder().encode(.test(bytes, size, format, bytesPerRow: step * size.width))
        }
        #expect(!jpegs[0].isEmpty && jpegs.allSatisfy { $0 == jpegs[0] })
    }

    @Test("takes a JPEG frame too: decodes, turns and shrinks it")
    func encodesJPEG() throws {
        let source = try JPEGEncoder(quality: 95).encode(.gradient(FrameSize(width: 400, height: 300)))
        let frame = Frame.jpeg(source, FrameSize(width: 400, height: 300), orientation: .down)
        let jpeg = try JPEGEncoder(quality: 90, maximumWidth: 100).encode(frame)
        let corner = try luma(jpeg, FrameSize(width: 100, height: 75), 0, 0)
        #expect(corner > 215)
    }

    @Test("says what is wrong with a frame that lacks a plane")
    func refusesMissingPlane() throws {
        let frame = Frame.test([UInt8](repeating: 0, count: 64 * 48), size, .nv12, bytesPerRow: 64)
        #expect(throws: JPEGError.self) { try JPEGEncoder().encode(frame) }
    }

    @Test("a lower quality makes fewer bytes")
    func obeysQuality() throws {
        let frame = Frame.gradient(FrameSize(width: 320, height: 240))
        #expect(try JPEGEncoder(quality: 20).encode(frame).count < JPEGEncoder(quality: 95).encode(frame).count)
    }
}
