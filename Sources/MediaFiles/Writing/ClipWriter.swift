import CFFmpeg

/// Writes frames as a clip, at the times of their stamps, in the format of the file name's ending. Only `finish()`
/// gives the file its name. Without `finish()`, no file is left. Used by one thread or task at a time.
package final class ClipWriter {
    package static let knownEndings = ClipFormat.all.map(\.ending)

    package private(set) var frames = 0
    /// The codecs of the sound tracks that are left out, because the format cannot contain them.
    package var omittedSound: [String] { muxer?.sound?.omitted ?? [] }
    private let path: String
    private let size: FrameSize
    private let scaler = FrameScaler()
    private let encoder: VideoEncoder
    private let target: PictureForm
    private let painter: GIFPainter?
    /// The muxer; nil once the file was finished or given up.
    private var muxer: Muxer?
    /// Whether the file can still be finished.
    package var isOpen: Bool { muxer != nil }
    private let frameTicks: Int64
    private var firstTime: Double?
    private var latestTicks: Int64 = -1

    /// Begins a clip.
    /// - Parameters:
    ///   - path: the file, whose ending is one of `knownEndings`. An mp4, mov or mkv is in H.264 if the installed
    ///     FFmpeg has libx264, else in MPEG-4.
    ///   - size: the size of the upright frames in pixels. An odd last row or column is left out, as chroma is halved.
    ///   - rate: the approximate number of frames a second. Only an avi rounds times to whole frames.
    ///   - colors: the statements about colours to write into the clip.
    ///   - soundSource: the clip whose sound is copied unchanged. Its first picture is at the time of the first frame.
    /// - Throws: `SourceFailure` if the ending is unknown, the directory cannot be written to or there is no encoder.
    package init(
        _ path: String,
        size: FrameSize,
        rate: Double = 30,
        colors: ColorStatement? = nil,
        soundSource: String? = nil
    ) throws(SourceFailure) {
        try FFmpeg.load()
        let ending = MediaLocation.ending(of: path)
        guard let format = ClipFormat.all.first(where: { $0.ending == ending }) else {
            throw .unknownExtension(path, known: Self.knownEndings)
        }
        guard rate > 0, rate <= 1000 else { throw .unencodable(path, "\(rate) frames per second are impossible") }
        let even = FrameSize(width: size.width & ~1, height: size.height & ~1)
        guard even.width > 0, even.height > 0 else { throw .unencodable(path, "\(size) is too small") }
        self.path = path
        self.size = size
        target = format.target(size: even, colors)
        painter = format.muxer == "gif" ? GIFPainter() : nil
        encoder = try VideoEncoder(format, target, rate: rate, path: path)
        muxer = try Muxer(path, format: format, encoder: encoder, soundSource: soundSource)
        frameTicks = max(1, Int64((1 / (rate * encoder.context.pointee.time_base.seconds)).rounded()))
    }

    /// Adds a frame, turned upright, at its `mediaTime` relative to that of the first frame. A time that is not later
    /// than the one before becomes the next time that the format can express.
    /// - Throws: `SourceFailure` for another size, a damaged frame or a full disk. The last two end the clip.
    package func append(_ frame: Frame) throws(SourceFailure) {
        guard let muxer else { throw .writerClosed(path) }
        guard frame.uprightSize == size else {
            throw .unencodable(path, "the clip is \(size) and the picture \(frame.uprightSize)")
        }
        let start = firstTime ?? frame.stamp.mediaTime
        firstTime = start
        let seconds = (frame.stamp.mediaTime - start) / encoder.context.pointee.time_base.seconds
        guard seconds.magnitude < 1e15 else {
            throw .unencodable(path, "its time \(frame.stamp.mediaTime) s is impossible")
        }
        latestTicks = max(latestTicks + 1, Int64(seconds.rounded()))
        var isWritten = false
        defer { if !isWritten { self.muxer = nil } }
        let result = try scaler.convert(frame, to: target, path: path) { picture in
            picture.pointee.pts = latestTicks
            return painter.map { $0.paint(picture, encode) } ?? encode(picture)
        }
        try check(result)
        try check(muxer.sound?.copy(upTo: frame.stamp.mediaTime - start) ?? 0)
        frames += 1
        isWritten = true
    }

    /// Writes the rest of the clip, and gives the file its name.
    /// - Parameter isWhole: whether all pictures of the clip were added. The sound then goes on to its own end.
    /// - Throws: `SourceFailure` if no frame was added or the disk is full. Nothing is left of the file then.
    package func finish(isWhole: Bool = true) throws(SourceFailure) {
        guard let muxer else { throw .writerClosed(path) }
        defer { self.muxer = nil }
        guard frames > 0 else { throw .unencodable(path, "a clip needs at least one frame") }
        try check(painter?.finish(encode) ?? 0)
        try check(encode(nil))
        if isWhole { try check(muxer.sound?.copy(upTo: nil) ?? 0) }
        try muxer.finish()
    }

    private func encode(_ picture: UnsafeMutablePointer<AVFrame>?) -> Int32 {
        encoder.encode(picture) { packet in
            packet.pointee.duration = frameTicks
            return muxer?.write(packet) ?? 0
        }
    }

    private func check(_ result: Int32) throws(SourceFailure) {
        guard result >= 0 else { throw .unwritable(path, FFmpeg.text(result)) }
    }
}

/// A file format in which clips can be written.
struct ClipFormat {
    var ending: String
    /// FFmpeg's name of the container format.
    var muxer: String
    /// The encoders in order of preference.
    var encoders: [String]
    /// The resolution of times, in ticks per second; nil for one tick per frame.
    var ticksPerSecond: Int32?

    static let all = [
        ClipFormat(ending: "mp4", muxer: "mp4", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000),
        ClipFormat(ending: "mov", muxer: "mov", encoders: ["libx264", "mpeg4"], ticksPerSecond: 90_000),
        ClipFormat(ending: "mkv", muxer: "matroska", encoders: ["libx264", "mpeg4"], ticksPerSecond: 1000),
        ClipFormat(ending: "webm", muxer: "webm", encoders: ["libvpx", "libvpx-vp9"], ticksPerSecond: 1000),
        ClipFormat(ending: "avi", muxer: "avi", encoders: ["mpeg4"], ticksPerSecond: nil),
        ClipFormat(ending: "gif", muxer: "gif", encoders: ["gif"], ticksPerSecond: 100),
    ]

    /// The format of a single picture.
    static let png = ClipFormat(ending: "png", muxer: "image2", encoders: ["png"])

    /// The properties of pictures for the encoder. A GIF takes RGB, all else limited range with the matrix that players
    /// expect: BT.601 below 720 rows, BT.709 from there on, and BT.2020 for frames with its primaries.
    func target(size: FrameSize, _ colors: ColorStatement?) -> PictureForm {
        guard muxer != "gif" else { return .init(format: AV_PIX_FMT_RGB24, size: size, encoding: .jpeg) }
        let isWide = colors.map { UInt32($0.primaries) == AVCOL_PRI_BT2020.rawValue } ?? false
        let encoding = YUVEncoding(matrix: isWide ? .bt2020 : size.height >= 720 ? .bt709 : .bt601, isFullRange: false)
        return .init(format: AV_PIX_FMT_YUV420P, size: size, encoding: encoding, colors: colors)
    }

    func apply(_ target: PictureForm, rate: Double, to context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.width = Int32(target.size.width)
        context.pointee.height = Int32(target.size.height)
        // The painter converts from RGB to the palette.
        context.pointee.pix_fmt = muxer == "gif" ? AV_PIX_FMT_PAL8 : target.format
        context.pointee.color_range = target.encoding.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        context.pointee.colorspace = target.encoding.matrix.native
        if let colors = target.colors {
            context.pointee.color_primaries = AVColorPrimaries(UInt32(colors.primaries))
            context.pointee.color_trc = AVColorTransferCharacteristic(UInt32(colors.transfer))
        }
        context.pointee.time_base =
            ticksPerSecond.map { AVRational(num: 1, den: $0) } ?? av_inv_q(ffmpeg.av_d2q(rate, 100_000))
        context.pointee.framerate = ffmpeg.av_d2q(rate, 1_000_000)
        // Without B-frames every packet comes out at once, and its decoding time is its presentation time.
        context.pointee.max_b_frames = 0
        // The file's header contains the codec's parameters, which every packet would have to repeat otherwise.
        if muxer != "avi" && muxer != "gif" { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        if encoders.contains("mpeg4") {
            // The range is 1, the best, to 31.
            let quantizer: Int32 = 3
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = quantizer * FF_QP2LAMBDA
        }
    }

    var options: [(String, String)] { Self.options[encoders[0]] ?? [] }

    /// The encoders' options: a quality near the limit of visible loss, at a speed that suits a small board.
    private static let options = [
        "libx264": [("preset", "veryfast"), ("crf", "18")],
        "libvpx": [("deadline", "realtime"), ("cpu-used", "8"), ("crf", "10"), ("b", "4M")],
    ]
}
