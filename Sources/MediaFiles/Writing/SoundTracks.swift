import CFFmpeg

/// Copies the sound of a clip, packet by packet and without loss, into a clip that a `ClipWriter` is writing.
final class SoundTracks {
    private let input: MediaInput
    private let output: UnsafeMutablePointer<AVFormatContext>
    private let owned = FFmpegOwned.packet()
    private var packet: UnsafeMutablePointer<AVPacket> { owned.pointer }
    /// The output's stream for each stream of the input; nil for those that are not copied.
    private let streams: [UnsafeMutablePointer<AVStream>?]
    /// The input's time, in seconds, that becomes 0 in the output: at first the time of the first picture. It moves
    /// where the input's times step back, as in recordings that were joined, so that the sound goes on.
    private var origin: Double
    /// The time up to which the sound was copied, in seconds of the output.
    private var reached = -Double.infinity
    /// The newest decoding time of each of the output's streams, in ticks, as these times must increase.
    private var newest: [CInt: Int64] = [:]
    /// The backward step of the times, in seconds, above which another recording is taken to begin.
    private static let longestStepBack = 0.5

    private var holdsPacket = false
    private var isOver = false
    /// The codecs of the tracks that the output's format cannot contain.
    let omitted: [String]

    /// Adds a stream to the output for each sound track of the input, before the output's header is written.
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
            // Each container has its own tag for the same codec.
            target.pointee.codecpar.pointee.codec_tag = 0
            target.pointee.time_base = source.pointee.time_base
            return target
        }
        self.omitted = omitted
        isOver = streams.allSatisfy { $0 == nil }
    }

    /// Copies the sound up to a time in seconds of the output, or all the rest for nil, as far as it can be read.
    /// - Returns: FFmpeg's error number if the muxer failed, which is negative.
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
            // A time this large means damage.
            isOver = max(time.magnitude, next) >= FrameStamp.longestMediaTime
            guard !isOver else { break }
            if next < reached - Self.longestStepBack { origin -= reached - next }
            reached = max(reached, next)
        }
        return 0
    }

    /// The streams that the current packet comes from and goes to; nil if the packet is not copied.
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
