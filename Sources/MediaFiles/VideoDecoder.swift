import CFFmpeg
import Glibc

/// Decodes the packets of one video track.
final class VideoDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>

    /// What came out of the decoder.
    enum Output {
        case picture(DecodedPicture)
        /// A picture that could not be decoded.
        case damaged(Int32)
        case needsPacket
        case drained
    }

    /// Opens the decoder of the input's video track.
    init(for input: MediaInput, threads: Int) throws(MediaError) {
        let parameters = input.stream.pointee.codecpar
        guard let codec = avcodec_find_decoder(parameters?.pointee.codec_id ?? AV_CODEC_ID_NONE) else {
            throw .noDecoder(name: input.location.name, codec: input.codec)
        }
        var context = avcodec_alloc_context3(codec)
        var frame = av_frame_alloc()
        guard let opened = context, let allocated = frame, avcodec_parameters_to_context(opened, parameters) >= 0 else {
            avcodec_free_context(&context)
            av_frame_free(&frame)
            throw .undecodable(name: input.location.name, reason: "no memory")
        }
        opened.pointee.thread_count = Int32(threads)
        opened.pointee.pkt_timebase = input.stream.pointee.time_base
        // A picture file is all or nothing: half of one would be analysed as if it were the whole.
        if input.isStill { opened.pointee.err_recognition = AV_EF_EXPLODE }
        let result = avcodec_open2(opened, codec, nil)
        guard result >= 0 else {
            avcodec_free_context(&context)
            av_frame_free(&frame)
            throw .noDecoder(name: input.location.name, codec: "\(input.codec) (\(FFmpeg.text(result)))")
        }
        self.context = opened
        self.frame = allocated
    }

    /// Opens a decoder for pictures that come without a container; nil if the installed FFmpeg lacks it.
    init?(codec: AVCodecID) {
        _ = FFmpeg.silence
        guard let decoder = avcodec_find_decoder(codec) else { return nil }
        var context = avcodec_alloc_context3(decoder)
        var frame = av_frame_alloc()
        context?.pointee.err_recognition = AV_EF_EXPLODE
        guard let opened = context, let allocated = frame, avcodec_open2(opened, decoder, nil) >= 0 else {
            avcodec_free_context(&context)
            av_frame_free(&frame)
            return nil
        }
        self.context = opened
        self.frame = allocated
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        avcodec_free_context(&context)
        av_frame_free(&frame)
    }

    /// Gives it a packet; nil says that no more come.
    ///
    /// - Returns: 0, or FFmpeg's error number if the packet is damaged.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Int32 {
        avcodec_send_packet(context, packet)
    }

    /// The next decoded picture, if there is one.
    func receive() -> Output {
        let result = avcodec_receive_frame(context, frame)
        switch result {
        case 0...: return DecodedPicture(taking: frame).map(Output.picture) ?? .damaged(FFmpeg.code(ENOMEM))
        case FFmpeg.code(EAGAIN): return .needsPacket
        case facet_error_eof: return .drained
        default: return .damaged(result)
        }
    }

    /// Decodes one picture out of memory; nil if it is damaged.
    func decode(_ bytes: UnsafeRawPointer, count: Int) -> DecodedPicture? {
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        // A packet of its own memory: decoders read a few bytes past the end, which must be there.
        guard let packet, av_new_packet(packet, Int32(count)) >= 0 else { return nil }
        memcpy(packet.pointee.data, bytes, count)
        guard send(packet) >= 0, case .picture(let picture) = receive() else { return nil }
        return picture
    }
}
