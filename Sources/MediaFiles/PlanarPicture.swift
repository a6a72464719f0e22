import CFFmpeg
package import Frames

/// Makes upright pictures of frames in the format that cameras call YU12: planes of Y, U and V without gaps, in video range.
package final class PlanarPicture {
    private let scaler = FrameScaler()
    private var bytes: [UInt8] = []

    package init() throws(SourceFailure) { try FFmpeg.load() }

    /// Lends a frame's picture of a size whose sides are even, during a call of `body`; of a larger frame the top left part is taken.
    /// - Throws: `SourceFailure.unencodable` with that path, or what `body` throws.
    package func withBytes(
        of frame: Frame,
        size: FrameSize,
        for path: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let target = FrameScaler.Target(format: AV_PIX_FMT_YUV420P, size: size, encoding: .video)
        let count = size.width * size.height * 3 / 2
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        try scaler.convert(frame, to: target, path: path) { picture in
            let source = PixelScaler.Pixels(picture, encoding: .video)
            let (planes, lines) = (source.planes.map { UnsafePointer($0) }, source.strides)
            let (width, height, count) = (CInt(size.width), CInt(size.height), CInt(count))
            _ = ffmpeg.av_image_copy_to_buffer(&bytes, count, planes, lines, source.format, width, height, 1)
        }
        try bytes.withUnsafeBytes(body)
    }
}
