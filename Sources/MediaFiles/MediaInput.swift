import CFFmpeg
import Frames
import Glibc

/// An opened file or stream, read packet by packet.
final class MediaInput {
    /// What it is.
    let location: MediaLocation
    /// FFmpeg's view of it.
    let context: UnsafeMutablePointer<AVFormatContext>
    /// The video track.
    let stream: UnsafeMutablePointer<AVStream>
    /// FFmpeg asks it during every read, so it lives as long as this object.
    private let interrupt: Interrupt

    /// Opens it and finds its video track. Network addresses get `timeout` seconds.
    init(_ location: MediaLocation, interrupt: Interrupt, timeout: Double) throws(MediaError) {
        _ = FFmpeg.silence
        if let path = location.path { try Self.check(path) }
        interrupt.limit(seconds: location.isNetwork ? timeout : nil)
        defer { interrupt.limit(seconds: nil) }
        let context = try Self.open(location, interrupt: interrupt)
        do throws(MediaError) {
            stream = try Self.videoStream(in: context, location: location, interrupt: interrupt)
        } catch {
            Self.close(context)
            throw error
        }
        self.location = location
        self.context = context
        self.interrupt = interrupt
    }

    deinit { Self.close(context) }

    /// The demuxer's name, as FFmpeg lists it.
    var demuxer: String { String(cString: context.pointee.iformat.pointee.name) }

    /// Whether it is one picture, not a clip.
    var isStill: Bool { demuxer == "image2" || demuxer.hasSuffix("_pipe") }

    /// Whether it brings its pictures when they happen: a clip on a server has a length, a live stream has none.
    var isLive: Bool { location.isNetwork && !isStill && announcedDuration == nil }

    /// Whether its pictures come without times, and FFmpeg makes some up: 25 a second, whatever the sender does.
    var lacksTimes: Bool { context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }

    /// More is no rate: FFmpeg then names the ticks of the clock, 1000 or 90000 a second.
    private static let highestRate = 500.0

    /// Frames per second, if it says.
    var rate: Double? {
        guard !isStill, !(isLive && lacksTimes) else { return nil }
        guard let rate = av_guess_frame_rate(context, stream, nil).value, rate <= Self.highestRate else { return nil }
        return rate
    }

    /// The codec's name, as FFmpeg lists it.
    var codec: String { String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id)) }

    /// The name, size, codec and rate of the video track.
    var description: StreamDescription {
        let parameters = stream.pointee.codecpar.pointee
        return StreamDescription(
            name: location.name,
            size: FrameSize(width: Int(parameters.width), height: Int(parameters.height)),
            format: codec,
            rate: rate
        )
    }

    /// The length in seconds that the container states; nil if it does not, or FFmpeg had to estimate it.
    var announcedDuration: Double? {
        let duration = context.pointee.duration
        guard duration > 0, context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM else { return nil }
        return Double(duration) / Double(AV_TIME_BASE)
    }

    /// The number of pictures that the header states; nil for containers that do not, or whose count includes
    /// pictures that are cut out by an edit list.
    var announcedPackets: Int? {
        let count = Int(stream.pointee.nb_frames)
        return numbersItsPackets && count > 0 ? count : nil
    }

    /// Whether the time of a packet is its number: in an avi, whose header also counts the empty packets that stand for
    /// pictures which were not taken, and which FFmpeg passes over.
    var numbersItsPackets: Bool { demuxer == "avi" }

    /// Whether the container's index points behind the end of the file: it was cut off.
    var indexExceedsFile: Bool {
        guard location.path != nil, demuxer.hasPrefix("mov"), let io = context.pointee.pb else { return false }
        let size = avio_size(io)
        let count = avformat_index_get_entries_count(stream)
        guard size > 0, count > 0 else { return false }
        return (0..<count).contains { index in
            guard let entry = avformat_index_get_entry(stream, index)?.pointee else { return false }
            return entry.pos > size - Int64(entry.size)
        }
    }

    /// How the container says its pictures are to be turned.
    var orientation: Orientation {
        guard let bytes = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) else { return .up }
        return UnsafeRawPointer(bytes).withMemoryRebound(to: Int32.self, capacity: 9) { Orientation(displayMatrix: $0) }
    }

    /// Reads the next packet of any track; network streams get `timeout` seconds.
    ///
    /// - Returns: 0, or FFmpeg's error number.
    func read(into packet: UnsafeMutablePointer<AVPacket>, timeout: Double) -> Int32 {
        if location.isNetwork { interrupt.limit(seconds: timeout) }
        return av_read_frame(context, packet)
    }

    private static func close(_ context: UnsafeMutablePointer<AVFormatContext>) {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }
}

extension MediaInput {
    /// Refuses what is no readable file before FFmpeg guesses.
    private static func check(_ path: String) throws(MediaError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { throw .notFound(path: path) }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard access(path, R_OK) == 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_size > 0 else { throw .empty(path: path) }
    }

    private static func open(
        _ location: MediaLocation,
        interrupt: Interrupt
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        var context = avformat_alloc_context()
        context?.pointee.interrupt_callback = interrupt.callback
        // On failure FFmpeg frees the context.
        let result = FFmpeg.withOptions(options(for: location)) { options in
            avformat_open_input(&context, location.address, nil, options)
        }
        guard result >= 0, let context else { throw failure(result, at: location, interrupt: interrupt) }
        return context
    }

    /// Only formats that are media in themselves: a playlist could name other files, and a plain text is not a clip.
    private static func options(for location: MediaLocation) -> [(String, String)] {
        let pictures = ["png", "jpeg", "webp", "bmp", "tiff", "ppm", "pgm", "gif", "jpegls", "j2k", "qoi"]
        let formats =
            ["mov", "matroska", "webm", "avi", "gif", "asf", "mpegts", "mpeg", "flv", "ogg", "h264", "hevc", "m4v"]
            + ["mjpeg", "mpegvideo", "ivf", "apng", "yuv4mpegpipe", "dv", "nut", "mpjpeg", "image2"]
            + pictures.map { $0 + "_pipe" }
        // `pattern_type` keeps a percent sign in a picture's name from being taken for a number series.
        let common = [("pattern_type", "none"), ("fpsprobesize", "0")]
        guard location.isNetwork else {
            return common + [("format_whitelist", formats.joined(separator: ",")), ("protocol_whitelist", "file")]
        }
        let streams = formats + ["rtsp", "sdp", "rtp", "hls", "mpjpeg", "live_flv", "mp3", "aac"]
        return common + [
            ("format_whitelist", streams.joined(separator: ",")),
            ("protocol_whitelist", "http,https,httpproxy,tls,tcp,udp,rtp,srtp,rtsp,rtsps,crypto"),
            // One connection gets through firewalls and loses no packets.
            ("rtsp_flags", "prefer_tcp"),
            ("analyzeduration", "1000000"),
        ]
    }

    private static func videoStream(
        in context: UnsafeMutablePointer<AVFormatContext>,
        location: MediaLocation,
        interrupt: Interrupt
    ) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        let found = avformat_find_stream_info(context, nil)
        guard found >= 0 else { throw failure(found, at: location, interrupt: interrupt) }
        guard context.pointee.nb_streams > 0 else {
            throw .unrecognized(name: location.name, reason: "it has no tracks")
        }
        let index = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, let stream = context.pointee.streams[Int(index)],
            // The cover of an album is no clip.
            stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { throw .noVideo(name: location.name) }
        return stream
    }

    private static func failure(_ code: Int32, at location: MediaLocation, interrupt: Interrupt) -> MediaError {
        guard !location.isNetwork else {
            let reason = interrupt.isOverdue ? "no answer in time" : FFmpeg.text(code)
            return .unreachable(name: location.name, reason: reason)
        }
        guard code == facet_error_invalid_data || code == facet_error_eof else {
            return .unreadable(path: location.name, reason: FFmpeg.text(code))
        }
        return .unrecognized(name: location.name, reason: FFmpeg.text(code))
    }
}
