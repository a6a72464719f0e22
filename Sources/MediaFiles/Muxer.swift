import CFFmpeg

/// Writes compressed pictures into a file of one of the clip formats.
final class Muxer {
    private let file: PendingFile
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let stream: UnsafeMutablePointer<AVStream>
    private let encoderTimeBase: AVRational

    /// Makes the file and writes its header.
    init(_ path: String, format: ClipFormat, encoder: VideoEncoder) throws(MediaError) {
        let file = PendingFile(path)
        var context: UnsafeMutablePointer<AVFormatContext>?
        let made = avformat_alloc_output_context2(&context, nil, format.muxer, "file:" + file.temporaryPath)
        guard made >= 0, let context, let stream = avformat_new_stream(context, nil) else {
            avformat_free_context(context)
            throw .noEncoder(path: path, codec: format.muxer)
        }
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
        stream.pointee.time_base = encoder.context.pointee.time_base
        stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
        let result = Self.begin(context, file: file)
        guard result >= 0 else {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
            file.discard()
            throw .unwritable(path: path, reason: FFmpeg.text(result))
        }
        self.file = file
        self.context = context
        self.stream = stream
        encoderTimeBase = encoder.context.pointee.time_base
    }

    private static func begin(_ context: UnsafeMutablePointer<AVFormatContext>, file: PendingFile) -> Int32 {
        let opened = avio_open(&context.pointee.pb, "file:" + file.temporaryPath, AVIO_FLAG_WRITE)
        guard opened >= 0 else { return opened }
        // The index in front: the clip can be played while it is still being copied.
        return FFmpeg.withOptions([("movflags", "+faststart")]) { avformat_write_header(context, $0) }
    }

    deinit {
        avio_closep(&context.pointee.pb)
        avformat_free_context(context)
    }

    /// Adds a packet.
    ///
    /// - Returns: FFmpeg's error number; not negative if all went well.
    func write(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
        packet.pointee.stream_index = stream.pointee.index
        av_packet_rescale_ts(packet, encoderTimeBase, stream.pointee.time_base)
        return av_interleaved_write_frame(context, packet)
    }

    /// Writes the end of the file and gives it its name.
    func finish() throws(MediaError) {
        let ended = av_write_trailer(context)
        let closed = avio_closep(&context.pointee.pb)
        guard ended >= 0, closed >= 0 else {
            file.discard()
            throw .unwritable(path: file.path, reason: FFmpeg.text(min(ended, closed)))
        }
        try file.commit()
    }

    /// Removes what was written.
    func abandon() {
        avio_closep(&context.pointee.pb)
        file.discard()
    }
}
