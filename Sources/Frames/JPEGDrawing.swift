/// Draws a frame of any pixel format upright and smaller into RGB; plain averaging, for looking at only.
struct UprightDrawing {
    private let frame: Frame
    private let target: FrameSize
    private let storedFromUpright: AffineTransform

    init(of frame: Frame, in target: FrameSize) {
        self.frame = frame
        self.target = target
        storedFromUpright = frame.orientation.storedFromUpright(stored: frame.size)
    }

    /// Fills `target.width` × `target.height` pixels of 3 bytes; false if the frame lacks planes or is a JPEG.
    func draw(into pixels: UnsafeMutablePointer<UInt8>) -> Bool {
        let conversion = RGBConversion(frame.encoding)
        switch (frame.format, frame.planes.1, frame.planes.2) {
        case (.gray, _, _):
            draw(pixels) { x, y in conversion.rgb(luma: Self.row(frame.planes.0, y)[x], u: 128, v: 128) }
        case (.yuyv, _, _):
            draw(pixels) { x, y in
                let row = Self.row(frame.planes.0, y)
                let pair = (x & ~1) * 2
                return conversion.rgb(luma: row[x * 2], u: row[pair + 1], v: row[pair + 3])
            }
        case (.nv12, let chroma?, _):
            draw(pixels) { x, y in
                let row = Self.row(chroma, y / 2)
                return conversion.rgb(luma: Self.row(frame.planes.0, y)[x], u: row[x & ~1], v: row[x | 1])
            }
        case (.planarYUV(let shiftX, let shiftY), let u?, let v?):
            draw(pixels) { x, y in
                conversion.rgb(
                    luma: Self.row(frame.planes.0, y)[x],
                    u: Self.row(u, y >> shiftY)[x >> shiftX],
                    v: Self.row(v, y >> shiftY)[x >> shiftX]
                )
            }
        case (.packedRGB(let bytes, let red, let green, let blue), _, _):
            draw(pixels) { x, y in
                let pixel = Self.row(frame.planes.0, y) + x * bytes
                return (pixel[red], pixel[green], pixel[blue])
            }
        default: return false
        }
        return true
    }

    @inline(__always)
    private static func row(_ plane: Frame.Plane, _ y: Int) -> UnsafePointer<UInt8> {
        plane.bytes + y * plane.bytesPerRow
    }

    /// Averages n × n evenly spaced source pixels for each drawn one; n keeps fine patterns from shimmering.
    @inline(__always)
    private func draw(_ pixels: UnsafeMutablePointer<UInt8>, _ read: (Int, Int) -> (r: UInt8, g: UInt8, b: UInt8)) {
        let upright = frame.uprightSize
        let samples = min(4, (upright.width + target.width - 1) / target.width)
        let area = samples * samples
        var next = pixels
        for y in 0..<target.height {
            for x in 0..<target.width {
                var sum = (r: 0, g: 0, b: 0)
                for sample in 0..<area {
                    let uprightX = (x * samples + sample % samples) * upright.width / (target.width * samples)
                    let uprightY = (y * samples + sample / samples) * upright.height / (target.height * samples)
                    let stored = storedFromUpright(Float(uprightX), Float(uprightY))
                    let pixel = read(Int(stored.x), Int(stored.y))
                    sum = (sum.r + Int(pixel.r), sum.g + Int(pixel.g), sum.b + Int(pixel.b))
                }
                next[0] = UInt8(sum.r / area)
                next[1] = UInt8(sum.g / area)
                next[2] = UInt8(sum.b / area)
                next += 3
            }
        }
    }
}

/// Turns a YUV sample into RGB, in 16-bit fixed point.
package struct RGBConversion: Sendable {
    @usableFromInline let luma, lumaOffset, redFromV, greenFromU, greenFromV, blueFromU: Int32

    package init(_ encoding: YUVEncoding) {
        let (red, blue) = encoding.matrix.weights
        let chromaScale = encoding.isFullRange ? 1 : 255.0 / 224
        func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
        luma = fixed(encoding.isFullRange ? 1 : 255.0 / 219)
        lumaOffset = encoding.isFullRange ? 0 : 16
        redFromV = fixed(2 * (1 - red) * chromaScale)
        blueFromU = fixed(2 * (1 - blue) * chromaScale)
        greenFromU = fixed(-2 * (1 - blue) * blue / (1 - red - blue) * chromaScale)
        greenFromV = fixed(-2 * (1 - red) * red / (1 - red - blue) * chromaScale)
    }

    @inlinable @inline(__always)
    package func rgb(luma: UInt8, u: UInt8, v: UInt8) -> (r: UInt8, g: UInt8, b: UInt8) {
        // 32768: half of the last place, so that the shift rounds.
        let y = (Int32(luma) - lumaOffset) &* self.luma &+ 32768
        let (u, v) = (Int32(u) - 128, Int32(v) - 128)
        return (
            r: Self.clamped(y &+ redFromV &* v), g: Self.clamped(y &+ greenFromU &* u &+ greenFromV &* v),
            b: Self.clamped(y &+ blueFromU &* u)
        )
    }

    @inlinable @inline(__always)
    static func clamped(_ fixed: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, fixed >> 16))) }
}
