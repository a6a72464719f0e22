import CV4L2
import Frames

/// Where a frame's planes lie in a buffer, from what the driver answered when the format was set.
struct FrameLayout {
    var format: PixelFormat
    var size: FrameSize
    var encoding: YUVEncoding
    /// Bytes per row of plane 0; for a JPEG without meaning.
    var bytesPerRow: Int
    /// Where planes 1 and 2 start, and their bytes per row.
    var chroma: [(offset: Int, bytesPerRow: Int)]
    /// How many bytes a whole frame has; for a JPEG the fewest one can have.
    var byteCount: Int

    /// Shorter than its own headers a JPEG can't be.
    private static let fewestJPEGBytes = 128

    /// Nil for a format we can't read, or an answer that makes no sense.
    init?(_ answer: v4l2_pix_format) {
        let (width, height) = (Int(answer.width), Int(answer.height))
        guard width > 0, height > 0 else { return nil }
        // Some drivers leave the bytes per row at 0.
        func row(_ bytesPerPixel: Int) -> Int { max(Int(answer.bytesperline), width * bytesPerPixel) }
        let fourCC = FourCC(rawValue: answer.pixelformat)
        size = FrameSize(width: width, height: height)
        encoding = YUVEncoding(answer)
        chroma = []
        switch fourCC {
        case .mjpg, .jpeg:
            (format, encoding, bytesPerRow, byteCount) = (.jpeg, .jpeg, 0, Self.fewestJPEGBytes)
            return
        case .yuyv: (format, bytesPerRow) = (.yuyv, row(2))
        case .grey: (format, bytesPerRow) = (.gray, row(1))
        case .rgb3: (format, bytesPerRow) = (.rgb24, row(3))
        case .bgr3: (format, bytesPerRow) = (.bgr24, row(3))
        case .xr24: (format, bytesPerRow) = (.bgra, row(4))
        case .nv12:
            (format, bytesPerRow) = (.nv12, row(1))
            chroma = [(bytesPerRow * height, bytesPerRow)]
        case .yu12, .yv12, .yuv422p:
            bytesPerRow = row(1)
            let shiftY = fourCC == .yuv422p ? 0 : 1
            format = .planarYUV(chromaShiftX: 1, chromaShiftY: shiftY)
            let first = (offset: bytesPerRow * height, bytesPerRow: bytesPerRow / 2)
            let second = (
                offset: first.offset + first.bytesPerRow * ((height + shiftY) >> shiftY), bytesPerRow: first.bytesPerRow
            )
            chroma = fourCC == .yv12 ? [second, first] : [first, second]
            byteCount = second.offset + second.offset - first.offset
            return
        default: return nil
        }
        byteCount = bytesPerRow * (format == .nv12 ? height + (height + 1) / 2 : height)
    }

    func fits(_ bufferSize: Int) -> Bool { bufferSize >= byteCount }

    /// Whether that many bytes hold a whole frame; of a JPEG only the start can be judged without decoding.
    func isWhole(_ base: UnsafeRawPointer, byteCount used: Int) -> Bool {
        guard used >= byteCount else { return false }
        guard case .jpeg = format else { return true }
        return base.load(as: UInt8.self) == 0xFF && base.load(fromByteOffset: 1, as: UInt8.self) == 0xD8
    }

    /// The planes of a frame of that many bytes at `base`.
    func planes(at base: UnsafeRawPointer, byteCount used: Int) -> (Frame.Plane, Frame.Plane?, Frame.Plane?) {
        if case .jpeg = format { return (Frame.Plane(base: base, bytesPerRow: used), nil, nil) }
        func plane(_ index: Int) -> Frame.Plane? {
            guard index < chroma.count else { return nil }
            return Frame.Plane(base: base + chroma[index].offset, bytesPerRow: chroma[index].bytesPerRow)
        }
        return (Frame.Plane(base: base, bytesPerRow: bytesPerRow), plane(0), plane(1))
    }
}

extension YUVEncoding {
    /// What the driver says of colours, with V4L2's defaults for what it leaves open.
    init(_ answer: v4l2_pix_format) {
        let colorspace = answer.colorspace
        let isHighDefinition =
            answer.ycbcr_enc == V4L2_YCBCR_ENC_709.rawValue
            || answer.ycbcr_enc == V4L2_YCBCR_ENC_DEFAULT.rawValue
                && (colorspace == V4L2_COLORSPACE_REC709.rawValue || colorspace == V4L2_COLORSPACE_DCI_P3.rawValue)
        let isFullRange =
            answer.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
            || answer.quantization == V4L2_QUANTIZATION_DEFAULT.rawValue
                && colorspace == V4L2_COLORSPACE_JPEG.rawValue
        self.init(matrix: isHighDefinition ? .bt709 : .bt601, isFullRange: isFullRange)
    }
}
