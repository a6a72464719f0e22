import Frames

/// Turns a frame's samples into bytes of blue, green, red and an unused one.
struct BGRAConversion {
    private let conversion: RGBConversion

    init(_ encoding: YUVEncoding) {
        conversion = RGBConversion(encoding)
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
        let color = conversion.rgb(luma: y, u: u, v: v)
        (out[0], out[1], out[2], out[3]) = (color.b, color.g, color.r, 255)
    }
}
