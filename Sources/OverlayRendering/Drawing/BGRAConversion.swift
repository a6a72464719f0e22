import Frames

/// Turns a frame's samples into bytes of blue, green, red and an unused one.
struct BGRAConversion {
    /// 16.16 fixed point.
    private let luma: Int32, redFromV: Int32, greenFromU: Int32, greenFromV: Int32, blueFromU: Int32
    private let lumaOffset: Int32

    /// The conversion of an encoding.
    init(_ encoding: YUVEncoding) {
        let (kr, kb) = encoding.matrix.weights
        let kg = 1 - kr - kb
        let lumaScale = encoding.isFullRange ? 1.0 : 255.0 / 219
        let chromaScale = encoding.isFullRange ? 1.0 : 255.0 / 224
        func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
        luma = fixed(lumaScale)
        lumaOffset = encoding.isFullRange ? 0 : 16
        redFromV = fixed(chromaScale * 2 * (1 - kr))
        blueFromU = fixed(chromaScale * 2 * (1 - kb))
        greenFromU = fixed(-chromaScale * 2 * (1 - kb) * kb / kg)
        greenFromV = fixed(-chromaScale * 2 * (1 - kr) * kr / kg)
    }

    /// Converts a frame, in the orientation it is stored in; a JPEG is left out.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - stride: takes only each pixel at a multiple of it, in both directions.
    ///   - target: where the bytes go.
    ///   - bytesPerRow: bytes from a row of the target to the next.
    func convert(_ frame: Frame, stride: Int, into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int) {
        let width = frame.size.width / stride
        for row in 0..<frame.size.height / stride {
            let (y, out) = (row * stride, target + row * bytesPerRow)
            let source = Self.row(frame.planes.0, y)
            switch frame.format {
            case .gray: gray(source, stride, out, width)
            case .packedRGB(let bytes, let red, let green, let blue):
                packed(source, stride * bytes, out, width, red, green, blue)
            case .yuyv: yuyv(source, stride, out, width)
            case .nv12:
                guard let chroma = frame.planes.1 else { return }
                nv12(source, Self.row(chroma, y / 2), stride, out, width)
            case .planarYUV(let shiftX, let shiftY):
                guard let u = frame.planes.1, let v = frame.planes.2 else { return }
                let (blues, reds) = (Self.row(u, y >> shiftY), Self.row(v, y >> shiftY))
                planar(source, blues, reds, shiftX, stride, out, width)
            case .jpeg: return
            }
        }
    }

    private static func row(_ plane: Frame.Plane, _ y: Int) -> UnsafePointer<UInt8> {
        (plane.base + y * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    private func gray(
        _ source: UnsafePointer<UInt8>,
        _ stride: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ width: Int
    ) {
        for x in 0..<width {
            let (pixel, luma) = (out + 4 * x, source[x * stride])
            (pixel[0], pixel[1], pixel[2], pixel[3]) = (luma, luma, luma, 255)
        }
    }

    private func packed(
        _ source: UnsafePointer<UInt8>,
        _ stride: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ width: Int,
        _ red: Int,
        _ green: Int,
        _ blue: Int
    ) {
        for x in 0..<width {
            let (from, pixel) = (source + stride * x, out + 4 * x)
            (pixel[0], pixel[1], pixel[2], pixel[3]) = (from[blue], from[green], from[red], 255)
        }
    }

    private func yuyv(
        _ source: UnsafePointer<UInt8>,
        _ stride: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ width: Int
    ) {
        for x in 0..<width {
            let from = x * stride
            let pair = source + 4 * (from / 2)
            store(source[2 * from], pair[1], pair[3], out + 4 * x)
        }
    }

    private func nv12(
        _ luma: UnsafePointer<UInt8>,
        _ chroma: UnsafePointer<UInt8>,
        _ stride: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ width: Int
    ) {
        for x in 0..<width {
            let from = x * stride
            store(luma[from], chroma[from & ~1], chroma[from | 1], out + 4 * x)
        }
    }

    private func planar(
        _ luma: UnsafePointer<UInt8>,
        _ u: UnsafePointer<UInt8>,
        _ v: UnsafePointer<UInt8>,
        _ shift: Int,
        _ stride: Int,
        _ out: UnsafeMutablePointer<UInt8>,
        _ width: Int
    ) {
        for x in 0..<width {
            let from = x * stride
            store(luma[from], u[from >> shift], v[from >> shift], out + 4 * x)
        }
    }

    @inline(__always)
    private func store(_ y: UInt8, _ u: UInt8, _ v: UInt8, _ out: UnsafeMutablePointer<UInt8>) {
        let bright = (Int32(y) - lumaOffset) &* luma &+ 32768
        let (u, v) = (Int32(u) - 128, Int32(v) - 128)
        out[0] = clamped(bright &+ blueFromU &* u)
        out[1] = clamped(bright &+ greenFromU &* u &+ greenFromV &* v)
        out[2] = clamped(bright &+ redFromV &* v)
        out[3] = 255
    }

    @inline(__always)
    private func clamped(_ fixed: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, fixed >> 16))) }
}
