import CFFmpeg
import Frames

/// Converts pixels from one format and colour encoding to another, without changing the size.
final class PixelScaler {
    private var context: OpaquePointer?

    deinit { sws_freeContext(context) }

    /// Pixels that FFmpeg is to read or write.
    struct Pixels {
        var planes: [UnsafeMutablePointer<UInt8>?]
        var strides: [Int32]
        var format: AVPixelFormat
        var encoding: YUVEncoding

        /// The pixels of a frame; nil if FFmpeg has no such format.
        init?(_ frame: Frame) {
            guard let format = PictureLayout.native(frame.format) else { return nil }
            let all = [frame.planes.0, frame.planes.1, frame.planes.2]
            // Only read: FFmpeg's functions take one type for both.
            planes =
                all.map { $0.map { UnsafeMutableRawPointer(mutating: $0.base).assumingMemoryBound(to: UInt8.self) } }
                + [nil]
            strides = all.map { Int32($0?.bytesPerRow ?? 0) } + [0]
            self.format = format
            encoding = frame.encoding
        }

        /// The pixels of one of FFmpeg's frames.
        init(_ frame: UnsafeMutablePointer<AVFrame>, encoding: YUVEncoding) {
            let (data, lines) = (frame.pointee.data, frame.pointee.linesize)
            planes = [data.0, data.1, data.2, data.3]
            strides = [lines.0, lines.1, lines.2, lines.3]
            format = AVPixelFormat(frame.pointee.format)
            self.encoding = encoding
        }
    }

    /// Converts a picture of that size.
    ///
    /// - Returns: false if FFmpeg cannot.
    func convert(_ source: Pixels, to target: Pixels, size: FrameSize) -> Bool {
        context = sws_getCachedContext(
            context,
            Int32(size.width),
            Int32(size.height),
            source.format,
            Int32(size.width),
            Int32(size.height),
            target.format,
            SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT,
            nil,
            nil,
            nil
        )
        guard let context else { return false }
        sws_setColorspaceDetails(
            context,
            coefficients(source),
            source.encoding.isFullRange ? 1 : 0,
            coefficients(target),
            target.encoding.isFullRange ? 1 : 0,
            0,
            1 << 16,
            1 << 16
        )
        let planes = source.planes.map { UnsafePointer($0) }
        return sws_scale(context, planes, source.strides, 0, Int32(size.height), target.planes, target.strides)
            == size.height
    }

    private func coefficients(_ pixels: Pixels) -> UnsafePointer<Int32>? {
        sws_getCoefficients(pixels.encoding.matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
    }
}
