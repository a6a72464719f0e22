import CFFmpeg
import FaceMetadata
import Frames
import Glibc

/// Decodes the packets of one video track.
final class VideoDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>

    enum Output {
        case picture(DecodedPicture)
        /// A picture that could not be decoded.
        case damaged(Int32)
        case needsPacket
        case drained
    }

    init(for input: MediaInput, options: ClipSource.Options) throws(MediaError) {
        let parameters = input.stream.pointee.codecpar
        guard let codec = ffmpeg.avcodec_find_decoder(parameters?.pointee.codec_id ?? AV_CODEC_ID_NONE) else {
            throw .noDecoder(name: input.location.name, codec: input.codec)
        }
        var context = ffmpeg.avcodec_alloc_context3(codec)
        var frame = ffmpeg.av_frame_alloc()
        guard let opened = context, let allocated = frame,
            ffmpeg.avcodec_parameters_to_context(opened, parameters) >= 0
        else {
            ffmpeg.avcodec_free_context(&context)
            ffmpeg.av_frame_free(&frame)
            throw .undecodable(name: input.location.name, reason: "there is not enough memory")
        }
        // One costs the least processor time, and is enough for most.
        opened.pointee.thread_count = 1
        opened.pointee.pkt_timebase = input.stream.pointee.time_base
        // Checked by FFmpeg against the picture's own header, before memory is allocated.
        opened.pointee.max_pixels = Int64(options.paddedMaximumPixels)
        // A picture file is all or nothing: half of one would be analysed as if it were the whole.
        if input.isStill { opened.pointee.err_recognition = AV_EF_EXPLODE }
        // From here on `deinit` frees both.
        (self.context, self.frame) = (opened, allocated)
        let result = ffmpeg.avcodec_open2(opened, codec, nil)
        guard result >= 0 else {
            throw .noDecoder(name: input.location.name, codec: "\(input.codec) (\(FFmpeg.text(result)))")
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        ffmpeg.avcodec_free_context(&context)
        ffmpeg.av_frame_free(&frame)
    }

    /// Gives it a packet; nil says that no more come.
    ///
    /// - Returns: 0, or FFmpeg's error number if the packet is damaged.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Int32 {
        ffmpeg.avcodec_send_packet(context, packet)
    }

    func receive() -> Output {
        let result = ffmpeg.avcodec_receive_frame(context, frame)
        switch result {
        case 0...: return DecodedPicture(taking: frame).map(Output.picture) ?? .damaged(FFmpeg.code(ENOMEM))
        case FFmpeg.code(EAGAIN): return .needsPacket
        case facet_error_eof: return .drained
        default: return .damaged(result)
        }
    }
}

/// A reference to a decoded picture in the decoder's memory; its end gives the memory back to FFmpeg's pool.
///
/// `@unchecked Sendable`: after `init` the picture is not written to. FFmpeg counts references atomically, and a decoder
/// that continues in a picture that is still held copies it first.
final class DecodedPicture: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// Takes the picture out of the decoder's frame, which is empty afterwards.
    init?(taking source: UnsafeMutablePointer<AVFrame>) {
        guard let pointer = ffmpeg.av_frame_alloc() else { return nil }
        ffmpeg.av_frame_move_ref(pointer, source)
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        ffmpeg.av_frame_free(&pointer)
    }

    /// Its size in pixels, as stored.
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
