import CFFmpeg
import Frames

/// How one of FFmpeg's pixel formats is delivered: as it is, or converted to another one first.
enum PictureLayout {
    /// The format of frames for pixels that lie in memory as `Frame` can describe them; nil for all others.
    static func direct(_ format: AVPixelFormat) -> PixelFormat? {
        switch format {
        case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)
        case AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUVJ422P: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)
        case AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUVJ444P: .planarYUV(chromaShiftX: 0, chromaShiftY: 0)
        case AV_PIX_FMT_YUV440P, AV_PIX_FMT_YUVJ440P: .planarYUV(chromaShiftX: 0, chromaShiftY: 1)
        case AV_PIX_FMT_YUV411P, AV_PIX_FMT_YUVJ411P: .planarYUV(chromaShiftX: 2, chromaShiftY: 0)
        case AV_PIX_FMT_YUV410P: .planarYUV(chromaShiftX: 2, chromaShiftY: 2)
        // The fourth plane, opacity, is not delivered.
        case AV_PIX_FMT_YUVA420P: .planarYUV(chromaShiftX: 1, chromaShiftY: 1)
        case AV_PIX_FMT_YUVA422P: .planarYUV(chromaShiftX: 1, chromaShiftY: 0)
        case AV_PIX_FMT_YUVA444P: .planarYUV(chromaShiftX: 0, chromaShiftY: 0)
        case AV_PIX_FMT_NV12: .nv12
        case AV_PIX_FMT_GRAY8: .gray
        case AV_PIX_FMT_YUYV422: .yuyv
        case AV_PIX_FMT_RGB24: .rgb24
        case AV_PIX_FMT_BGR24: .bgr24
        case AV_PIX_FMT_RGBA, AV_PIX_FMT_RGB0: .rgba
        case AV_PIX_FMT_BGRA, AV_PIX_FMT_BGR0: .bgra
        case AV_PIX_FMT_ARGB, AV_PIX_FMT_0RGB: .packedRGB(bytesPerPixel: 4, red: 1, green: 2, blue: 3)
        case AV_PIX_FMT_ABGR, AV_PIX_FMT_0BGR: .packedRGB(bytesPerPixel: 4, red: 3, green: 2, blue: 1)
        default: nil
        }
    }

    /// The nearest format that needs no conversion: the same family of colours and the same chroma size, 8 bits a sample.
    static func nearest(to format: AVPixelFormat) -> AVPixelFormat {
        guard let description = av_pix_fmt_desc_get(format)?.pointee else { return AV_PIX_FMT_RGB24 }
        if description.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 { return AV_PIX_FMT_RGB24 }
        if description.nb_components <= 2 { return AV_PIX_FMT_GRAY8 }
        return switch (description.log2_chroma_w, description.log2_chroma_h) {
        case (0, 0): AV_PIX_FMT_YUV444P
        case (0, 1): AV_PIX_FMT_YUV440P
        case (1, 0): AV_PIX_FMT_YUV422P
        case (2, 0): AV_PIX_FMT_YUV411P
        case (2, 2): AV_PIX_FMT_YUV410P
        default: AV_PIX_FMT_YUV420P
        }
    }

    /// FFmpeg's format for pixels as a frame has them, for writing; nil for a JPEG and for formats FFmpeg lacks.
    static func native(_ format: PixelFormat) -> AVPixelFormat? {
        switch format {
        case .gray: AV_PIX_FMT_GRAY8
        case .nv12: AV_PIX_FMT_NV12
        case .yuyv: AV_PIX_FMT_YUYV422
        case .jpeg: nil
        default: planarOrPacked.first { direct($0) == format }
        }
    }

    private static let planarOrPacked = [
        AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV440P, AV_PIX_FMT_YUV411P,
        AV_PIX_FMT_YUV410P, AV_PIX_FMT_RGB24, AV_PIX_FMT_BGR24, AV_PIX_FMT_RGB0, AV_PIX_FMT_BGR0, AV_PIX_FMT_0RGB,
        AV_PIX_FMT_0BGR,
    ]

    /// How the samples of a decoded picture stand for colours.
    ///
    /// What the clip leaves open is decided as players do: limited range (JPEG and grey pictures: full), BT.709 from 720
    /// rows on and BT.601 below. BT.2020 is taken for BT.709, the nearest there is.
    static func encoding(of frame: UnsafePointer<AVFrame>, isStill: Bool) -> YUVEncoding {
        let format = AVPixelFormat(frame.pointee.format)
        let isFull =
            switch frame.pointee.color_range {
            case AVCOL_RANGE_JPEG: true
            case AVCOL_RANGE_MPEG: false
            default: fullRange.contains(format)
            }
        return YUVEncoding(matrix: matrix(of: frame.pointee, isStill: isStill), isFullRange: isFull)
    }

    private static let fullRange: [AVPixelFormat] = [
        AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P,
        AV_PIX_FMT_GRAY8,
    ]

    private static func matrix(of frame: AVFrame, isStill: Bool) -> YUVEncoding.Matrix {
        switch frame.colorspace {
        case AVCOL_SPC_BT709, AVCOL_SPC_SMPTE240M, AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt709
        case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: .bt601
        default: frame.height >= 720 && !isStill ? .bt709 : .bt601
        }
    }
}
