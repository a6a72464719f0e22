import CFFmpeg
import FaceMetadata
import Frames
import Glibc

/// Decodes the packets of one video track.
final class VideoDecoder {
    private let context: FFmpegOwned<AVCodecContext>
    private let frame: FFmpegOwned<AVFrame>

    enum Output {
        case picture(DecodedPicture)
        /// A picture that could not be decoded.
        case damaged
        case needsPacket
        case drained
    }

    init(for input: MediaInput, options: FrameSourceOptions) throws(SourceFailure) {
        let parameters = input.stream.pointee.codecpar
        guard let codec = ffmpeg.avcodec_find_decoder(parameters?.pointee.codec_id ?? AV_CODEC_ID_NONE) else {
            throw .noDecoder(input.location.name, codec: input.codec)
        }
        context = .codec(codec)
        frame = .frame()
        let opened = context.pointer
        guard ffmpeg.avcodec_parameters_to_context(opened, parameters) >= 0 else {
            throw .undecodable(input.location.name, "there is not enough memory")
        }
        // One costs the least processor time, and is enough for most.
        opened.pointee.thread_count = 1
        opened.pointee.pkt_timebase = input.stream.pointee.time_base
        // Checked by FFmpeg against the picture's own header, before memory is allocated.
        opened.pointee.max_pixels = Int64(options.paddedMaximumPixels)
        // A picture file is all or nothing: half of one would be analysed as if it were the whole.
        if input.isStill { opened.pointee.err_recognition = AV_EF_EXPLODE }
        let result = ffmpeg.avcodec_open2(opened, codec, nil)
        guard result >= 0 else {
            throw .noDecoder(input.location.name, codec: "\(input.codec) (\(FFmpeg.text(result)))")
        }
    }

    /// Gives it a packet; nil says that no more come.
    /// - Returns: 0, or FFmpeg's error number if the packet is damaged.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Int32 {
        ffmpeg.avcodec_send_packet(context.pointer, packet)
    }

    /// Lets it take packets again after the last one, beginning with a key picture.
    func flush() { ffmpeg.avcodec_flush_buffers(context.pointer) }

    func receive() -> Output {
        switch ffmpeg.avcodec_receive_frame(context.pointer, frame.pointer) {
        case 0...: .picture(DecodedPicture(taking: frame.pointer))
        case FFmpeg.code(EAGAIN): .needsPacket
        case facet_error_eof: .drained
        default: .damaged
        }
    }
}

/// A reference to a decoded picture in the decoder's memory; its end gives the memory back to FFmpeg's pool.
///
/// `@unchecked Sendable`: after `init` the picture is not written to. FFmpeg counts references atomically, and a decoder that
/// continues in a picture that is still held copies it first.
final class DecodedPicture: @unchecked Sendable {
    private let owned = FFmpegOwned.frame()

    /// Takes the picture out of the decoder's frame, which is empty afterwards.
    init(taking source: UnsafeMutablePointer<AVFrame>) { ffmpeg.av_frame_move_ref(owned.pointer, source) }

    var pointer: UnsafeMutablePointer<AVFrame> { owned.pointer }
    var size: FrameSize { FrameSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }
    var format: AVPixelFormat { AVPixelFormat(pointer.pointee.format) }

    /// How the picture itself says it is to be turned: by EXIF in a JPEG, WebP or PNG.
    var statedOrientation: Orientation? {
        if let matrix = ffmpeg.av_frame_get_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX), matrix.pointee.size >= 36 {
            return UnsafeRawPointer(matrix.pointee.data).withMemoryRebound(to: Int32.self, capacity: 9) {
                Orientation(displayMatrix: $0)
            }
        }
        guard let entry = ffmpeg.av_dict_get(pointer.pointee.metadata, "Orientation", nil, 0) else { return nil }
        let text = String(cString: entry.pointee.value)
        return Int(text.drop { $0 == " " }).flatMap(Orientation.init(rawValue:))
    }
}
