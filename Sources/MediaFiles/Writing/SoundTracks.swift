import CFFmpeg

/// The sound of a clip, copied packet by packet, without loss, into a clip that its `ClipWriter` is writing.
final class SoundTracks {
    private let input: MediaInput
    private let output: UnsafeMutablePointer<AVFormatContext>
    private let owned = FFmpegOwned.packet()
    private var packet: UnsafeMutablePointer<AVPacket> { owned.pointer }
    /// The output's stream for each of the input's streams; nil for those that are not copied.
    private let streams: [UnsafeMutablePointer<AVStream>?]
    /// The input's time, in seconds, that is 0 in the clip that is written: at first that of the first picture. Where
    /// the input's times step back, as in recordings that were joined, it is moved so that the sound continues.
    private var origin: Double
    /// The time up to which the sound was copied, in seconds of the clip that is written.
    private var reached = -Double.infinity
    /// The newest time of each of the output's streams, which must grow.
    private var newest: [CInt: Int64] = [:]
    /// The step back of a track's time, in seconds, from which on it begins another recording.
    private static let longestStepBack = 0.5

    private var holdsPacket = false
    private var isOver = false
    /// The codecs of tracks that the output's format cannot hold.
    let omitted: [String]

    /// Adds a stream to the output for each track of sound, before the output's header is written.
    /// - Throws: `SourceFailure` if the clip cannot be read.
    init(of path: String, into output: UnsafeMutablePointer<AVFormatContext>) throws(SourceFailure) {
        input = try MediaInput(try MediaLocation(path), interrupt: Interrupt(), options: FrameSourceOptions())
        self.output = output
        let start = input.stream.pointee.seconds(input.stream.pointee.start_time) ?? 0
        origin = start.magnitude < FrameStamp.longestMediaTime ? start : 0
        let context = input.context
        var omitted: [String] = []
        streams = (0..<Int(context.pointee.nb_streams)).map { index in
            guard let source = context.pointee.streams[index] else { return nil }
            let parameters = source.pointee.codecpar
            guard let parameters, parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else {
                source.pointee.discard = AVDISCARD_ALL
                return nil
            }
            let codec = parameters.pointee.codec_id
            guard ffmpeg.avformat_query_codec(output.pointee.oformat, codec, FF_COMPLIANCE_NORMAL) == 1,
                let target = ffmpeg.avformat_new_stream(output, nil),
                ffmpeg.avcodec_parameters_copy(target.pointee.codecpar, parameters) >= 0
            else {
                omitted.append(FFmpeg.name(of: codec))
                return nil
            }
            // Each container has tags of its own for the same codec.
            target.pointee.codecpar.pointee.codec_tag = 0
            target.pointee.time_base = source.pointee.time_base
            return target
        }
        self.omitted = omitted
        isOver = streams.allSatisfy { $0 == nil }
    }

    /// Copies the sound before a time in seconds of the written clip, or all the rest, as far as it can be read.
    /// - Returns: FFmpeg's error number of the muxer; not negative if all went well.
    func copy(upTo seconds: Double?) -> Int32 {
        while !isOver, reached < seconds ?? .infinity {
            let written = holdsPacket ? write() : 0
            guard written >= 0 else { return written }
            holdsPacket = ffmpeg.av_read_frame(input.context, packet) >= 0
            isOver = !holdsPacket
            guard holdsPacket, let source = streamPair?.source,
                let time = source.pointee.seconds(packet.pointee.decoding)
            else { continue }
            let next = time - origin
            // So long a time is damage.
            isOver = max(time.magnitude, next) >= FrameStamp.longestMediaTime
            guard !isOver else { break }
            if next < reached - Self.longestStepBack { origin -= reached - next }
            reached = max(reached, next)
        }
        return 0
    }

    /// The tracks that the packet comes from and goes to; nil if it is not copied.
    private var streamPair: (source: UnsafeMutablePointer<AVStream>, target: UnsafeMutablePointer<AVStream>)? {
        let index = Int(packet.pointee.stream_index)
        guard streams.indices.contains(index), let target = streams[index],
            let source = input.context.pointee.streams[index]
        else { return nil }
        return (source, target)
    }

    private func write() -> Int32 {
        defer { ffmpeg.av_packet_unref(packet) }
        guard let (source, target) = streamPair else { return 0 }
        let shift = Int64((origin / source.pointee.time_base.seconds).rounded())
        if packet.pointee.pts != facet_no_timestamp { packet.pointee.pts &-= shift }
        if packet.pointee.dts != facet_no_timestamp { packet.pointee.dts &-= shift }
        ffmpeg.av_packet_rescale_ts(packet, source.pointee.time_base, target.pointee.time_base)
        packet.pointee.stream_index = target.pointee.index
        packet.pointee.pos = -1
        if packet.pointee.dts != facet_no_timestamp {
            let least = newest[target.pointee.index].map { $0 + 1 } ?? .min
            packet.pointee.dts = max(packet.pointee.dts, least)
            packet.pointee.pts = max(packet.pointee.pts, packet.pointee.dts)
            newest[target.pointee.index] = packet.pointee.dts
        }
        return ffmpeg.av_interleaved_write_frame(output, packet)
    }
}
