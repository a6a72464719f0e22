import CFFmpeg

/// Paints the pictures of a GIF with a palette that is chosen from the pictures themselves. The first pictures wait for
/// the palette: in a short clip all of them, in a longer one those that fit into `capacity`.
final class GIFPainter {
    /// The maximum size in bytes of the waiting pictures: enough for 36 pictures of 1280×720.
    private static let capacity = 100_000_000
    /// The strength of the dithering, out of 256. It varies the brightness of pixels before they get a palette colour,
    /// to hide edges in gradients. The pattern is fixed, so that still parts of a clip need no data.
    private static let ditherStrength = 10

    /// The brightness offsets of the pixels in a square of 4×4 (Bayer matrix).
    private static let dither = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map {
        ($0 * 2 - 15) * ditherStrength / 16
    }

    private var output = PicturePool()
    private var waiting: [(pts: Int64, pixels: [UInt8])] = []
    private var size = FrameSize(width: 0, height: 0)
    private var palette: ColorPalette?

    /// Paints a 24-bit RGB picture, or lets it wait. Painted pictures go to `encode`, together with those that waited.
    /// - Returns: FFmpeg's error number, of `encode` or for missing memory; 0 if all went well.
    func paint(_ picture: UnsafeMutablePointer<AVFrame>, _ encode: (UnsafeMutablePointer<AVFrame>) -> Int32) -> Int32 {
        guard let base = picture.pointee.data.0 else { return 0 }
        size = picture.pointee.size
        let row = size.width * 3
        var pixels: [UInt8] = []
        pixels.reserveCapacity(row * size.height)
        for y in 0..<size.height {
            pixels += UnsafeBufferPointer(start: base + y * Int(picture.pointee.linesize.0), count: row)
        }
        waiting.append((picture.pointee.pts, pixels))
        guard palette != nil || (waiting.count + 1) * pixels.count > Self.capacity else { return 0 }
        return finish(encode)
    }

    func finish(_ encode: (UnsafeMutablePointer<AVFrame>) -> Int32) -> Int32 {
        var painting = palette ?? ColorPalette(counts: counts)
        defer {
            palette = painting
            waiting = []
        }
        for (pts, pixels) in waiting {
            guard let painted = output.lend(format: AV_PIX_FMT_PAL8, size: size)?.pointer else {
                return FFmpeg.code(ENOMEM)
            }
            painted.pointee.pts = pts
            paint(pixels, on: painted, with: &painting)
            let result = encode(painted)
            guard result >= 0 else { return result }
        }
        return 0
    }

    /// The number of pixels of the waiting pictures in each cell of the palette's grid.
    private var counts: [Int] {
        var counts = [Int](repeating: 0, count: 32 * 32 * 32)
        for (_, pixels) in waiting {
            for pixel in stride(from: 0, to: pixels.count - 2, by: 3) {
                counts[ColorPalette.cell(Int(pixels[pixel]), Int(pixels[pixel + 1]), Int(pixels[pixel + 2]))] += 1
            }
        }
        return counts
    }

    private func paint(_ pixels: [UInt8], on frame: UnsafeMutablePointer<AVFrame>, with palette: inout ColorPalette) {
        guard let indices = frame.pointee.data.0, let table = frame.pointee.data.1 else { return }
        table.withMemoryRebound(to: UInt32.self, capacity: 256) { entries in
            // The unused last entry means that a pixel stays as it was.
            for index in 0..<256 { entries[index] = 0 }
            for (index, color) in palette.colors.enumerated() {
                entries[index] = 0xFF00_0000 | UInt32(color.x) << 16 | UInt32(color.y) << 8 | UInt32(color.z)
            }
        }
        let stride = Int(frame.pointee.linesize.0)
        pixels.withUnsafeBufferPointer { pixels in
            var from = 0
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let shift = Self.dither[(y & 3) << 2 | (x & 3)]
                    @inline(__always) func moved(_ part: UInt8) -> Int { max(0, min(255, Int(part) + shift)) }
                    let (red, green) = (moved(pixels[from]), moved(pixels[from + 1]))
                    let cell = ColorPalette.cell(red, green, moved(pixels[from + 2]))
                    indices[y * stride + x] = palette.index(at: cell)
                    from += 3
                }
            }
        }
    }
}
