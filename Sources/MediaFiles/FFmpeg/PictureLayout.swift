import CFFmpeg

/// Chooses how FFmpeg's pictures become frames: unchanged, or converted to another pixel format or size first.
enum PictureLayout {
    /// The size of a picture after scaling to square pixels.
    /// - Parameters:
    ///   - stored: the size in stored pixels.
    ///   - aspect: the width of a stored pixel divided by its height; nil for square ones.
    ///   - maximumPixels: the limit. A picture that would exceed it is made lower instead of wider.
    /// - Returns: the same height with another width, as players show it. The size stays as stored if `aspect` is
    ///   within 1 % of 1, or is outside 1/8…8 and therefore taken for damage.
    static func squareSize(of stored: FrameSize, aspect: Double?, maximumPixels: Int) -> FrameSize {
        guard let aspect, (1.0 / 8...8).contains(aspect), abs(aspect - 1) >= 0.01 else { return stored }
        // Even numbers, as most formats halve the chroma.
        func scaled(_ length: Int, by factor: Double) -> Int {
            max(2, Int((Double(length) * factor / 2).rounded()) * 2)
        }
        let width = scaled(stored.width, by: aspect)
        guard width * stored.height > maximumPixels else { return FrameSize(width: width, height: stored.height) }
        return FrameSize(width: stored.width, height: scaled(stored.height, by: 1 / aspect))
    }

    /// The pixel formats of frames, each with FFmpeg's format of the same memory layout.
    private static let formats: [(AVPixelFormat, PixelFormat)] = [
        (AV_PIX_FMT_YUV420P, .planarYUV(chromaShiftX: 1, chromaShiftY: 1)),
        (AV_PIX_FMT_YUV422P, .planarYUV(chromaShiftX: 1, chromaShiftY: 0)),
        (AV_PIX_FMT_YUV444P, .planarYUV(chromaShiftX: 0, chromaShiftY: 0)),
        (AV_PIX_FMT_YUV440P, .planarYUV(chromaShiftX: 0, chromaShiftY: 1)),
        (AV_PIX_FMT_YUV411P, .planarYUV(chromaShiftX: 2, chromaShiftY: 0)),
        (AV_PIX_FMT_YUV410P, .planarYUV(chromaShiftX: 2, chromaShiftY: 2)),
        (AV_PIX_FMT_NV12, .nv12), (AV_PIX_FMT_GRAY8, .gray), (AV_PIX_FMT_YUYV422, .yuyv),
        (AV_PIX_FMT_RGB24, .rgb24), (AV_PIX_FMT_BGR24, .bgr24), (AV_PIX_FMT_RGB0, .rgba), (AV_PIX_FMT_BGR0, .bgra),
        (AV_PIX_FMT_0RGB, .packedRGB(bytesPerPixel: 4, red: 1, green: 2, blue: 3)),
        (AV_PIX_FMT_0BGR, .packedRGB(bytesPerPixel: 4, red: 3, green: 2, blue: 1)),
    ]

    /// The frame format that describes FFmpeg's pixels as they are in memory; nil if there is none.
    static func direct(_ format: AVPixelFormat) -> PixelFormat? { formats.first { isAlike($0.0, format) }?.1 }

    /// Whether two formats store colours at the same places, and both or neither have alpha. They may differ in range,
    /// as FFmpeg has separate formats for full range.
    private static func isAlike(_ one: AVPixelFormat, _ other: AVPixelFormat) -> Bool {
        guard var one = ffmpeg.av_pix_fmt_desc_get(one)?.pointee, var other = ffmpeg.av_pix_fmt_desc_get(other)?.pointee
        else { return false }
        let kind = UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_ALPHA)
        let colors = 3 * MemoryLayout<AVComponentDescriptor>.size
        return one.flags & kind == other.flags & kind && one.log2_chroma_w == other.log2_chroma_w
            && one.log2_chroma_h == other.log2_chroma_h && memcmp(&one.comp, &other.comp, colors) == 0
    }

    /// FFmpeg's format with the memory layout of a frame format; nil for JPEG and for layouts that FFmpeg lacks.
    static func native(_ format: PixelFormat) -> AVPixelFormat? { formats.first { $0.1 == format }?.0 }

    /// The format closest to `format` among those that frames can have: the same colour model and chroma size with 8
    /// bits a sample, or RGBA for formats with alpha or a palette.
    static func nearest(to format: AVPixelFormat) -> AVPixelFormat {
        guard let description = ffmpeg.av_pix_fmt_desc_get(format)?.pointee else { return AV_PIX_FMT_RGB24 }
        if description.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL) != 0 { return AV_PIX_FMT_RGBA }
        if description.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0 { return AV_PIX_FMT_RGB24 }
        if description.nb_components == 1 { return AV_PIX_FMT_GRAY8 }
        let (shiftX, shiftY) = (Int(description.log2_chroma_w), Int(description.log2_chroma_h))
        return native(.planarYUV(chromaShiftX: shiftX, chromaShiftY: shiftY)) ?? AV_PIX_FMT_YUV420P
    }

    /// The colour encoding of a decoded picture in `format`. What the clip does not state is chosen as in players: full
    /// range only for JPEG and grey pictures, BT.709 for clips of 720 rows or more, and BT.601 for all others.
    static func encoding(of frame: UnsafePointer<AVFrame>, in format: AVPixelFormat, isPicture: Bool) -> YUVEncoding {
        let isFull =
            switch frame.pointee.color_range {
            case AVCOL_RANGE_JPEG: true
            case AVCOL_RANGE_MPEG: false
            default: fullRange.contains(format) || isGray(AVPixelFormat(frame.pointee.format))
            }
        let matrix: YUVEncoding.Matrix =
            switch frame.pointee.colorspace {
            case AVCOL_SPC_BT709, AVCOL_SPC_SMPTE240M: .bt709
            case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt2020
            case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: .bt601
            default: frame.pointee.height >= 720 && !isPicture ? .bt709 : .bt601
            }
        return YUVEncoding(matrix: matrix, isFullRange: isFull)
    }

    /// Whether a format has only luminance, with or without alpha.
    private static func isGray(_ format: AVPixelFormat) -> Bool {
        guard let description = ffmpeg.av_pix_fmt_desc_get(format)?.pointee else { return false }
        return description.nb_components <= 2 && description.flags & UInt64(AV_PIX_FMT_FLAG_PAL) == 0
    }

    private static let fullRange: [AVPixelFormat] = [
        AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P,
    ]
}

extension YUVEncoding.Matrix {
    var native: AVColorSpace {
        switch self {
        case .bt601: AVCOL_SPC_SMPTE170M
        case .bt709: AVCOL_SPC_BT709
        case .bt2020: AVCOL_SPC_BT2020_NCL
        }
    }

    /// libswscale's conversion coefficients for the matrix.
    var coefficients: UnsafePointer<Int32>? { ffmpeg.sws_getCoefficients(Int32(native.rawValue)) }
}

extension Orientation {
    /// Reads a container's 3×3 display matrix, which shows a stored point (x, y) at (m0·x + m3·y, m1·x + m4·y).
    /// Rotations are rounded to multiples of 90°.
    init(displayMatrix matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (matrix[0], matrix[1], matrix[3], matrix[4])
        if abs(Int64(a)) >= abs(Int64(b)) {
            self = a >= 0 ? (d >= 0 ? .up : .downMirrored) : (d >= 0 ? .upMirrored : .down)
        } else {
            self = b >= 0 ? (c >= 0 ? .leftMirrored : .right) : (c >= 0 ? .left : .rightMirrored)
        }
    }
}
