import CFFmpeg

/// Converts pixels between formats, colour encodings and sizes with FFmpeg's libswscale.
final class PixelScaler {
    private var context: FFmpegScaler?

    // Where FFmpeg is missing, an unused object must not call it.
    deinit { if let context { ffmpeg.sws_freeContext(context) } }

    /// Pixels in memory that FFmpeg is to read or write.
    struct Pixels {
        var planes: [UnsafeMutablePointer<UInt8>?]
        var strides: [Int32]
        var form: PictureForm

        /// The pixels of a frame; nil if FFmpeg has no such pixel format.
        init?(_ frame: Frame) {
            guard let format = PictureLayout.native(frame.format) else { return nil }
            let all: [Frame.Plane?] = [frame.planes.first, frame.planes.second, frame.planes.third, nil]
            // FFmpeg only reads these pixels, but its functions have one pointer type for reading and writing.
            planes = all.map { $0.map { UnsafeMutablePointer(mutating: $0.bytes) } }
            strides = all.map { Int32($0?.bytesPerRow ?? 0) }
            form = PictureForm(format: format, size: frame.size, encoding: frame.encoding)
        }

        init(_ frame: UnsafeMutablePointer<AVFrame>, encoding: YUVEncoding) {
            let data = frame.pointee.data
            let lines = frame.pointee.linesize
            planes = [data.0, data.1, data.2, data.3]
            strides = [lines.0, lines.1, lines.2, lines.3]
            let format = AVPixelFormat(frame.pointee.format)
            form = PictureForm(format: format, size: frame.pointee.size, encoding: encoding)
        }

        /// The planes as `Frame` stores them, except a fourth plane for alpha; nil if there are no planes.
        var framePlanes: Frame.Planes? {
            let found = zip(planes, strides).prefix(3).compactMap { base, stride in
                base.map { Frame.Plane(base: UnsafeRawPointer($0), bytesPerRow: Int(stride)) }
            }
            return found.isEmpty ? nil : Frame.Planes(found)
        }
    }

    /// Converts a picture, and scales it to the target's size. With `crops`, it takes the top left part of that size
    /// instead, as encoders that halve the chroma need even sizes. Returns false if FFmpeg cannot convert it.
    func convert(_ source: Pixels, to target: Pixels, crops: Bool = false) -> Bool {
        let size = target.form.size
        let read = crops ? size : source.form.size
        context = ffmpeg.sws_getCachedContext(
            context,
            Int32(read.width),
            Int32(read.height),
            source.form.format,
            Int32(size.width),
            Int32(size.height),
            target.form.format,
            facet_scaling,
            nil,
            nil,
            nil
        )
        guard let context else { return false }
        let old = colors(source.form.encoding)
        let new = colors(target.form.encoding)
        _ = ffmpeg.sws_setColorspaceDetails(context, old.table, old.range, new.table, new.range, 0, 1 << 16, 1 << 16)
        let planes = source.planes.map { UnsafePointer($0) }
        let height = Int32(read.height)
        let rows = ffmpeg.sws_scale(context, planes, source.strides, 0, height, target.planes, target.strides)
        return rows == size.height
    }

    /// The coefficients of an encoding's matrix, and the range: 1 for full, 0 for limited.
    private func colors(_ encoding: YUVEncoding) -> (table: UnsafePointer<Int32>?, range: Int32) {
        (encoding.matrix.coefficients, encoding.isFullRange ? 1 : 0)
    }
}

/// The form of a picture: FFmpeg's pixel format, size, YUV encoding, and further colour data such as an ICC profile.
struct PictureForm {
    var format: AVPixelFormat
    var size: FrameSize
    var encoding: YUVEncoding
    var colors: ColorStatement?
}

/// Lends memory for pictures of one format and size, and reuses it when it is returned.
struct PicturePool {
    private var kept: [FFmpegOwned<AVFrame>] = []

    /// A writable picture of a format and size; nil if there is not enough memory.
    mutating func lend(format: AVPixelFormat, size: FrameSize) -> FFmpegOwned<AVFrame>? {
        kept.removeAll { $0.format != format || $0.size != size }
        for index in kept.indices where isKnownUniquelyReferenced(&kept[index]) {
            return ffmpeg.av_frame_make_writable(kept[index].pointer) >= 0 ? kept[index] : nil
        }
        let fresh = FFmpegOwned.frame()
        fresh.pointer.pointee.format = format.rawValue
        fresh.pointer.pointee.width = Int32(size.width)
        fresh.pointer.pointee.height = Int32(size.height)
        guard ffmpeg.av_frame_get_buffer(fresh.pointer, 0) >= 0 else { return nil }
        if kept.count < PixelMemoryPool.limit { kept.append(fresh) }
        return fresh
    }
}

/// Converts frames to upright pictures in the format of an encoder. Reuses the memory of the pictures.
final class FrameScaler {
    private let scaler = PixelScaler()
    private var output = PicturePool()
    private var turned = PixelMemoryPool()
    private lazy var decoder = Result { () throws(JPEGError) in try JPEGDecoder() }

    /// Calls `body` with the frame's upright picture in the target's format. A smaller target gets the top left part.
    /// - Throws: `SourceFailure.unencodable`, which names `path`.
    func convert<Result>(
        _ frame: Frame,
        to target: PictureForm,
        path: String,
        _ body: (UnsafeMutablePointer<AVFrame>) -> Result
    ) throws(SourceFailure) -> Result {
        var frame = frame
        if frame.format == .jpeg {
            let damaged = { (error: JPEGError) in SourceFailure.unencodable(path, "its JPEG is damaged: \(error)") }
            frame = try failing(as: damaged) { () throws(JPEGError) in try decoder.get().decode(frame) }
        }
        if frame.orientation != .up { frame = frame.drawnUpright(of: frame.uprightSize, in: &turned) ?? frame }
        // The pointers used from here on are valid only as long as their owners.
        defer { withExtendedLifetime((frame, self)) {} }
        guard let source = PixelScaler.Pixels(frame) else {
            throw .unencodable(path, "FFmpeg has no pixel format like \(frame.format)")
        }
        guard let result = output.lend(format: target.format, size: target.size)?.pointer else {
            throw .unencodable(path, "there is not enough memory")
        }
        result.pointee.color_range = target.encoding.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        if let profile = target.colors?.profile, !profile.isEmpty {
            // A picture that was lent before still has its profile.
            ffmpeg.av_frame_remove_side_data(result, AV_FRAME_DATA_ICC_PROFILE)
            let data = ffmpeg.av_frame_new_side_data(result, AV_FRAME_DATA_ICC_PROFILE, profile.count)
            data?.pointee.data.update(from: profile, count: profile.count)
        }
        result.pointee.colorspace = target.encoding.matrix.native
        guard scaler.convert(source, to: .init(result, encoding: target.encoding), crops: true) else {
            throw .unencodable(path, "FFmpeg cannot convert \(frame.format) for this file")
        }
        return body(result)
    }
}

/// Converts frames to upright pictures in planar YUV 4:2:0 with limited range (V4L2's format YU12).
package final class PlanarPicture {
    private let scaler = FrameScaler()
    private var bytes: [UInt8] = []

    package init() throws(SourceFailure) { try FFmpeg.load() }

    /// Returns the converted picture's bytes. Both sides of `size` must be even. Of a larger frame, the top left part
    /// of that size is taken.
    /// - Throws: `SourceFailure.unencodable`, which names `path`.
    package func convert(_ frame: Frame, size: FrameSize, for path: String) throws(SourceFailure) -> [UInt8] {
        let target = PictureForm(format: AV_PIX_FMT_YUV420P, size: size, encoding: .video)
        let count = size.width * size.height * 3 / 2
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        try scaler.convert(frame, to: target, path: path) { picture in
            let source = PixelScaler.Pixels(picture, encoding: .video)
            let planes = source.planes.map { UnsafePointer($0) }
            let lines = source.strides
            let width = CInt(size.width)
            let height = CInt(size.height)
            _ = ffmpeg.av_image_copy_to_buffer(&bytes, CInt(count), planes, lines, target.format, width, height, 1)
        }
        return bytes
    }
}
