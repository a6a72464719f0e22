import CFFmpeg

@testable import MediaFiles

/// Makes a file that has sound and no pictures.
enum SoundFile {
    struct Failure: Error {}

    /// Writes a tenth of a second of silence, uncompressed, in a QuickTime file.
    static func write(to path: String) throws -> String {
        try FFmpeg.load()
        var output: UnsafeMutablePointer<AVFormatContext>?
        _ = ffmpeg.avformat_alloc_output_context2(&output, nil, "mov", path)
        guard let output, let stream = ffmpeg.avformat_new_stream(output, nil), let parameters = stream.pointee.codecpar
        else {
            throw Failure()
        }
        defer { ffmpeg.avformat_free_context(output) }
        parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        parameters.pointee.codec_id = AV_CODEC_ID_PCM_S16LE
        parameters.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        parameters.pointee.sample_rate = 44_100
        parameters.pointee.block_align = 2
        ffmpeg.av_channel_layout_default(&parameters.pointee.ch_layout, 1)
        var packet = ffmpeg.av_packet_alloc()
        defer { ffmpeg.av_packet_free(&packet) }
        guard let packet, ffmpeg.av_new_packet(packet, 8820) >= 0,
            ffmpeg.avio_open(&output.pointee.pb, path, AVIO_FLAG_WRITE) >= 0
        else {
            throw Failure()
        }
        packet.pointee.data.update(repeating: 0, count: 8820)
        packet.pointee.pts = 0
        packet.pointee.dts = 0
        packet.pointee.duration = 4410
        guard ffmpeg.avformat_write_header(output, nil) >= 0, ffmpeg.av_interleaved_write_frame(output, packet) >= 0,
            ffmpeg.av_write_trailer(output) >= 0
        else { throw Failure() }
        _ = ffmpeg.avio_closep(&output.pointee.pb)
        return path
    }
}
