import CFFmpeg
import Frames
import Glibc

/// Compresses pictures with one of FFmpeg's encoders.
final class VideoEncoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let packet: UnsafeMutablePointer<AVPacket>

    /// What to encode how.
    struct Settings {
        var target: FrameScaler.Target
        var timeBase: AVRational
        var rate: Double
        /// FFmpeg's options of the encoder.
        var options: [(String, String)] = []
        /// FFmpeg's quantiser, 1 (best) to 31; nil for encoders that have other options.
        var quantizer: Int32?
        /// Whether the file's header holds what every packet would have to repeat.
        var hasGlobalHeader = false
    }

    /// Opens the first of these encoders that the installed FFmpeg has.
    ///
    /// - Throws: FFmpeg's words if there is none or it refuses the settings.
    init(anyOf names: [String], settings: Settings) throws(FrameScaler.Failure) {
        _ = FFmpeg.silence
        guard let codec = names.lazy.compactMap({ avcodec_find_encoder_by_name($0) }).first else {
            throw FrameScaler.Failure(reason: "none of the encoders \(names.joined(separator: ", ")) is installed")
        }
        var context = avcodec_alloc_context3(codec)
        var packet = av_packet_alloc()
        guard let opened = context, let allocated = packet else {
            avcodec_free_context(&context)
            av_packet_free(&packet)
            throw FrameScaler.Failure(reason: "there is not enough memory")
        }
        Self.apply(settings, to: opened)
        let result = FFmpeg.withOptions(settings.options) { avcodec_open2(opened, codec, $0) }
        guard result >= 0 else {
            avcodec_free_context(&context)
            av_packet_free(&packet)
            throw FrameScaler.Failure(reason: "the encoder refuses \(settings.target.size) (\(FFmpeg.text(result)))")
        }
        self.context = opened
        self.packet = allocated
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        avcodec_free_context(&context)
        av_packet_free(&packet)
    }

    private static func apply(_ settings: Settings, to context: UnsafeMutablePointer<AVCodecContext>) {
        let target = settings.target
        context.pointee.width = Int32(target.size.width)
        context.pointee.height = Int32(target.size.height)
        context.pointee.pix_fmt = target.format
        context.pointee.color_range = target.encoding.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        context.pointee.colorspace = target.encoding.matrix == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
        context.pointee.time_base = settings.timeBase
        context.pointee.framerate = av_d2q(settings.rate, 1_000_000)
        // Without them every packet comes out at once, and its decoding time is its presentation time.
        context.pointee.max_b_frames = 0
        if settings.hasGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        if let quantizer = settings.quantizer {
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = quantizer * FF_QP2LAMBDA
        }
    }

    /// Gives it a picture, nil at the end, and hands on every packet that comes out.
    ///
    /// - Returns: FFmpeg's error number, of the encoder or of `body`; 0 if all went well.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?,
        _ body: (UnsafeMutablePointer<AVPacket>) -> Int32
    ) -> Int32 {
        frame?.pointee.quality = context.pointee.global_quality
        let sent = avcodec_send_frame(context, frame)
        guard sent >= 0 else { return sent }
        while true {
            let received = avcodec_receive_packet(context, packet)
            if received == FFmpeg.code(EAGAIN) || received == facet_error_eof { return 0 }
            guard received >= 0 else { return received }
            defer { av_packet_unref(packet) }
            let handled = body(packet)
            guard handled >= 0 else { return handled }
        }
    }
}
