import CFFmpeg

/// Compresses pictures with one of FFmpeg's encoders.
final class VideoEncoder {
    private let owned: FFmpegOwned<AVCodecContext>
    private let packet = FFmpegOwned.packet()
    var context: UnsafeMutablePointer<AVCodecContext> { owned.pointer }

    /// Opens the first of the format's encoders that the installed FFmpeg has.
    /// - Throws: `SourceFailure.noEncoder`, which names `path`, if there is none or it refuses the settings.
    init(_ format: ClipFormat, _ target: PictureForm, rate: Double, path: String) throws(SourceFailure) {
        let names = format.encoders
        guard let codec = names.lazy.compactMap({ ffmpeg.avcodec_find_encoder_by_name($0) }).first else {
            throw .noEncoder(path, codec: names.joined(separator: " or "))
        }
        owned = .codec(codec)
        format.apply(target, rate: rate, to: context)
        let result = FFmpeg.withOptions(format.options) { ffmpeg.avcodec_open2(context, codec, $0) }
        guard result >= 0 else {
            throw .noEncoder(path, codec: "\(names[0]) of \(target.size) (\(FFmpeg.text(result)))")
        }
    }

    /// Encodes a picture, or with nil the pictures that are left at the end, and calls `body` with every packet.
    /// - Returns: FFmpeg's error number, from the encoder or `body`; 0 if all went well.
    func encode(_ frame: UnsafeMutablePointer<AVFrame>?, _ body: (UnsafeMutablePointer<AVPacket>) -> Int32) -> Int32 {
        let packet = packet.pointer
        frame?.pointee.quality = context.pointee.global_quality
        let sent = ffmpeg.avcodec_send_frame(context, frame)
        guard sent >= 0 else { return sent }
        while true {
            let received = ffmpeg.avcodec_receive_packet(context, packet)
            if received == FFmpeg.code(EAGAIN) || received == facet_error_eof { return 0 }
            guard received >= 0 else { return received }
            defer { ffmpeg.av_packet_unref(packet) }
            let handled = body(packet)
            guard handled >= 0 else { return handled }
        }
    }
}

/// Writes packets of pictures and sound to a file in one of the clip formats. Without `finish`, no file is left.
final class Muxer {
    private let file: PendingFile
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let stream: UnsafeMutablePointer<AVStream>
    private let encoderTimeBase: AVRational
    /// The sound that is copied; nil for a clip without sound.
    private(set) var sound: SoundTracks?

    /// Makes the file and writes its header.
    /// - Throws: `SourceFailure` if the file cannot be written, or the source of the sound cannot be read.
    init(_ path: String, format: ClipFormat, encoder: VideoEncoder, soundSource: String? = nil) throws(SourceFailure) {
        do { file = try PendingFile(path) } catch { throw .unwritable(path, error.reason) }
        var context: UnsafeMutablePointer<AVFormatContext>?
        let address = ("file:" + file.temporaryPath).fileName
        let made = ffmpeg.avformat_alloc_output_context2(&context, nil, format.muxer, address)
        guard made >= 0, let context, let stream = ffmpeg.avformat_new_stream(context, nil) else {
            ffmpeg.avformat_free_context(context)
            throw .noEncoder(path, codec: format.muxer)
        }
        _ = ffmpeg.avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
        encoderTimeBase = encoder.context.pointee.time_base
        stream.pointee.time_base = encoderTimeBase
        stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
        self.context = context
        self.stream = stream
        sound = try soundSource.map { source throws(SourceFailure) in try SoundTracks(of: source, into: context) }
        let opened = ffmpeg.avio_open(&context.pointee.pb, address, AVIO_FLAG_WRITE)
        // The index goes to the front, so that the clip can be played while it is still being copied.
        let begun = FFmpeg.withOptions([("movflags", "+faststart")]) {
            opened < 0 ? opened : ffmpeg.avformat_write_header(context, $0)
        }
        guard begun >= 0 else { throw .unwritable(path, FFmpeg.text(begun)) }
    }

    deinit {
        _ = ffmpeg.avio_closep(&context.pointee.pb)
        ffmpeg.avformat_free_context(context)
    }

    /// Writes a packet of the encoder. Returns FFmpeg's error number, which is negative only after a failure.
    func write(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
        packet.pointee.stream_index = stream.pointee.index
        ffmpeg.av_packet_rescale_ts(packet, encoderTimeBase, stream.pointee.time_base)
        return ffmpeg.av_interleaved_write_frame(context, packet)
    }

    /// Writes the end of the file, and gives the file its name.
    func finish() throws(SourceFailure) {
        let ended = ffmpeg.av_write_trailer(context)
        let closed = ffmpeg.avio_closep(&context.pointee.pb)
        guard ended >= 0, closed >= 0 else { throw .unwritable(file.path, FFmpeg.text(min(ended, closed))) }
        do { try file.commit() } catch { throw .unwritable(file.path, error.reason) }
    }
}
