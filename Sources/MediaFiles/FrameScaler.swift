import CFFmpeg
import Frames

/// Brings frames into the form that an encoder wants, upright; its memory is used again and again.
final class FrameScaler {
    private let scaler = PixelScaler()
    private let unpacker = PixelScaler()
    private let output = ReusedPicture()
    private let packed = ReusedPicture()
    private let turned = ReusedPicture()
    private var decoder: VideoDecoder?

    /// What the encoder gets: its pixel format and size, and how colours are to be coded.
    struct Target {
        var format: AVPixelFormat
        var size: FrameSize
        var encoding: YUVEncoding
    }

    /// Why a frame cannot be brought into the target's form.
    struct Failure: Error {
        var reason: String
    }

    /// Runs `body` with the upright picture in the target's form; it is valid during that call only.
    ///
    /// A target smaller than the picture gets its top left part: encoders that halve the chroma want even sizes.
    func convert<Result>(
        _ frame: Frame,
        to target: Target,
        _ body: (UnsafeMutablePointer<AVFrame>) -> Result
    ) throws(Failure) -> Result {
        let frame = try decoded(frame)
        // Only pointers are used from here on; they need their owners.
        defer { withExtendedLifetime((frame, self)) {} }
        guard let stored = PixelScaler.Pixels(frame) else {
            throw Failure(reason: "FFmpeg has no pixel format like \(frame.format)")
        }
        let source = try frame.orientation == .up ? stored : turn(frame, stored)
        guard let result = output.prepare(format: target.format, size: target.size) else { throw Self.noMemory }
        result.pointee.color_range = target.encoding.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        result.pointee.colorspace = target.encoding.matrix == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        guard scaler.convert(source, to: .init(result, encoding: target.encoding), size: target.size) else {
            throw Failure(reason: "FFmpeg cannot convert \(frame.format) for this file")
        }
        return body(result)
    }

    private static let noMemory = Failure(reason: "there is not enough memory")

    /// The frame itself, or the picture decoded from its JPEG.
    private func decoded(_ frame: Frame) throws(Failure) -> Frame {
        guard frame.format == .jpeg else { return frame }
        if decoder == nil { decoder = VideoDecoder(codec: AV_CODEC_ID_MJPEG) }
        guard let picture = decoder?.decode(frame.planes.0.base, count: frame.planes.0.bytesPerRow),
            let result = picture.frame(
                stamp: frame.stamp,
                orientation: frame.orientation,
                encoding: PictureLayout.encoding(of: picture.pointer, isStill: true)
            )
        else { throw Failure(reason: "its JPEG is damaged") }
        return result
    }

    /// The upright picture as RGB.
    private func turn(_ frame: Frame, _ stored: PixelScaler.Pixels) throws(Failure) -> PixelScaler.Pixels {
        guard let straight = packed.prepare(format: AV_PIX_FMT_RGB24, size: frame.size),
            let upright = turned.prepare(format: AV_PIX_FMT_RGB24, size: frame.uprightSize)
        else { throw Self.noMemory }
        guard unpacker.convert(stored, to: .init(straight, encoding: frame.encoding), size: frame.size) else {
            throw Failure(reason: "FFmpeg cannot convert \(frame.format) to RGB")
        }
        Self.copyPixels(from: straight, to: upright, by: frame.orientation.storedFromUpright(stored: frame.size))
        return .init(upright, encoding: frame.encoding)
    }

    private static func copyPixels(
        from source: UnsafeMutablePointer<AVFrame>,
        to target: UnsafeMutablePointer<AVFrame>,
        by map: AffineTransform
    ) {
        guard let from = source.pointee.data.0, let to = target.pointee.data.0 else { return }
        let (fromStride, toStride) = (Int(source.pointee.linesize.0), Int(target.pointee.linesize.0))
        // The map has only whole steps, so each step right in the upright picture is a fixed way in the stored one.
        let step = Int(map.c) * fromStride + Int(map.a) * 3
        for y in 0..<Int(target.pointee.height) {
            let start = map(0, Float(y))
            var pixel = from + Int(start.y) * fromStride + Int(start.x) * 3
            var place = to + y * toStride
            for _ in 0..<Int(target.pointee.width) {
                (place[0], place[1], place[2]) = (pixel[0], pixel[1], pixel[2])
                place += 3
                pixel += step
            }
        }
    }
}
