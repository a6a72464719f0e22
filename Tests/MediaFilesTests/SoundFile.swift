import CFFmpeg
import Frames

@testable import MediaFiles

/// Makes files with sound.
enum SoundFile {
    struct Failure: Error {}

    /// A tenth of a second of a saw tooth of 172 Hz, mono, 16 bits, 44.1 kHz.
    static let tone: [UInt8] = (0..<4410).flatMap { [0, UInt8(truncatingIfNeeded: $0)] }

    /// A packet of silence, AAC with the header that it has in transport streams: mono, 44.1 kHz, 1024 samples.
    static let silence: [UInt8] = [0xFF, 0xF1, 0x50, 0x40, 0x01, 0x7F, 0xFC, 0x01, 0x18, 0x20, 0x07]

    /// Writes the tone, uncompressed, in a QuickTime file, or a second of silence in a transport stream.
    ///
    /// - Parameters:
    ///   - path: the file, `.mov` or `.ts`.
    ///   - clip: a clip whose pictures it also gets.
    /// - Returns: the file.
    /// - Throws: `Failure` or `SourceFailure` if FFmpeg refuses something.
    static func write(to path: String, withPicturesOf clip: String? = nil) throws -> String {
        let isTransport = path.hasSuffix(".ts")
        let (sound, samples) = isTransport ? (silence, 1024) : (tone, 4410)
        try FFmpeg.load()
        let input = try clip.map {
            try MediaInput(try MediaLocation($0), interrupt: Interrupt(), options: FrameSourceOptions())
        }
        var output: UnsafeMutablePointer<AVFormatContext>?
        _ = ffmpeg.avformat_alloc_output_context2(&output, nil, isTransport ? "mpegts" : "mov", path)
        guard let output, let stream = ffmpeg.avformat_new_stream(output, nil), let parameters = stream.pointee.codecpar
        else {
            throw Failure()
        }
        defer { ffmpeg.avformat_free_context(output) }
        parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        parameters.pointee.codec_id = isTransport ? AV_CODEC_ID_AAC : AV_CODEC_ID_PCM_S16LE
        parameters.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        parameters.pointee.sample_rate = 44_100
        parameters.pointee.block_align = isTransport ? 0 : 2
        parameters.pointee.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC
        parameters.pointee.ch_layout.nb_channels = 1
        var packet = ffmpeg.av_packet_alloc()
        defer { ffmpeg.av_packet_free(&packet) }
        guard let packet, ffmpeg.avio_open(&output.pointee.pb, path, AVIO_FLAG_WRITE) >= 0
        else {
            throw Failure()
        }
        var video: UnsafeMutablePointer<AVStream>?
        if let input {
            video = ffmpeg.avformat_new_stream(output, nil)
            guard let video, ffmpeg.avcodec_parameters_copy(video.pointee.codecpar, input.stream.pointee.codecpar) >= 0
            else { throw Failure() }
            video.pointee.codecpar.pointee.codec_tag = 0
            video.pointee.time_base = input.stream.pointee.time_base
        }
        stream.pointee.time_base = AVRational(num: 1, den: 44_100)
        guard ffmpeg.avformat_write_header(output, nil) >= 0 else { throw Failure() }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: sound.count)
        defer { bytes.deallocate() }
        bytes.initialize(from: sound, count: sound.count)
        for number in 0..<(isTransport ? 44 : 1) {
            // FFmpeg copies what it does not own.
            packet.pointee.data = bytes
            packet.pointee.size = CInt(sound.count)
            (packet.pointee.pts, packet.pointee.dts) = (Int64(number * samples), Int64(number * samples))
            packet.pointee.duration = Int64(samples)
            ffmpeg.av_packet_rescale_ts(packet, AVRational(num: 1, den: 44_100), stream.pointee.time_base)
            packet.pointee.stream_index = stream.pointee.index
            guard ffmpeg.av_interleaved_write_frame(output, packet) >= 0 else { throw Failure() }
        }
        if let input, let video {
            while input.read(into: packet) >= 0 {
                ffmpeg.av_packet_rescale_ts(packet, input.stream.pointee.time_base, video.pointee.time_base)
                packet.pointee.stream_index = video.pointee.index
                guard ffmpeg.av_interleaved_write_frame(output, packet) >= 0 else { throw Failure() }
            }
        }
        guard ffmpeg.av_write_trailer(output) >= 0 else { throw Failure() }
        _ = ffmpeg.avio_closep(&output.pointee.pb)
        return path
    }

    /// The bytes of a clip's sound.
    static func bytes(of path: String) throws -> [UInt8] {
        let input = try MediaInput(try MediaLocation(path), interrupt: Interrupt(), options: FrameSourceOptions())
        var packet = ffmpeg.av_packet_alloc()
        defer { ffmpeg.av_packet_free(&packet) }
        guard let packet else { throw Failure() }
        var bytes: [UInt8] = []
        while input.read(into: packet) >= 0 {
            if packet.pointee.stream_index != input.stream.pointee.index {
                bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
            }
            ffmpeg.av_packet_unref(packet)
        }
        return bytes
    }
}
