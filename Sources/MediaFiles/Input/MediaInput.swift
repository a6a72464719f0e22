import CFFmpeg

/// An opened file or stream that is read packet by packet.
final class MediaInput {
    let stream: UnsafeMutablePointer<AVStream>
    private let owned: FFmpegOwned<AVFormatContext>
    private let opening: Opening
    /// The version of the file when it was opened, which tells whether it has changed since; nil if it is not a file.
    let version: [Int]?
    /// The time at which FFmpeg began to probe the content.
    let probingBegan: ContinuousClock.Instant
    /// The width of a stored pixel divided by its height; nil if the container does not state it.
    private let aspect: Double?
    var context: UnsafeMutablePointer<AVFormatContext> { owned.pointer }
    var location: MediaLocation { opening.location }
    var options: FrameSourceOptions { opening.options }
    /// The command whose output is read; nil for files and addresses.
    var command: CommandOutput? { opening.command }

    /// Opens a location and finds its video track. A stream must answer within `options.openTimeout`.
    init(_ location: MediaLocation, interrupt: Interrupt, options: FrameSourceOptions) throws(SourceFailure) {
        try FFmpeg.load()
        version = location.version
        let command = try location.command.map { text throws(SourceFailure) in
            try CommandOutput(text.revealed(), name: location.name, interrupt: interrupt)
        }
        // After a failure the limit stays until the next opening, so that closing the input cannot block.
        interrupt.limit(location.isStream ? options.openTimeout : nil)
        var opening = Opening(location: location, interrupt: interrupt, options: options, command: command)
        try opening.readBeginning()
        self.opening = opening
        owned = try opening.open()
        if location.isStream { interrupt.limitBytes(of: opening.bytes?.source ?? owned.pointer.pointee.pb) }
        probingBegan = .now
        stream = try opening.videoStream(in: owned.pointer)
        aspect = ffmpeg.av_guess_sample_aspect_ratio(owned.pointer, stream, nil).value
        interrupt.limit(nil)
    }

    var hasUnusedBytes: Bool { opening.bytes?.hasUnusedBytes == true }

    var demuxer: String { String(cString: context.pointee.iformat.pointee.name) }
    /// Whether the input is a single picture and not a clip.
    var isPicture: Bool { command == nil && (demuxer == "image2" || demuxer.hasSuffix("_pipe")) }
    /// Whether pictures come as they are captured. A stream that states its length is a clip on a server, and not live.
    var isLive: Bool { location.isStream && !isPicture && announcedDuration == nil }
    /// Whether the pictures have no real timestamps. FFmpeg then makes them up from a nominal frame rate.
    var lacksTimes: Bool { command != nil || context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }
    /// The maximum plausible frame rate. A higher one from FFmpeg is really the clock's tick rate, such as 90000 Hz.
    private static let highestRate = 500.0

    var rate: Double? {
        guard !isPicture, !(isLive && lacksTimes), let rate = ffmpeg.av_guess_frame_rate(context, stream, nil).value
        else { return nil }
        return rate <= Self.highestRate ? rate : nil
    }

    var codec: String { FFmpeg.name(of: stream.pointee.codecpar.pointee.codec_id) }

    /// The codec's usual name, or the file's own name for a codec that FFmpeg does not know.
    var codecInWords: String {
        let parameters = stream.pointee.codecpar.pointee
        if hasOpacityBeside { return "\(codec) with opacity (libvpx)" }
        guard parameters.codec_id == AV_CODEC_ID_NONE else { return codec }
        let tag = parameters.codec_tag
        if demuxer.hasSuffix("flv") { return tag == 12 ? "H.265 in FLV" : "codec \(tag) of FLV" }
        let letters = withUnsafeBytes(of: tag.littleEndian) { Array($0) }
        if letters.allSatisfy({ 0x20..<0x7F ~= $0 }) { return "the codec \(String(decoding: letters, as: UTF8.self))" }
        let unknown = FFmpeg.newestError.firstMatch(of: /AVCodecID ([^ .]+)/)?.output.1
        return unknown.map { "the codec \($0)" } ?? "its codec, which has the number \(tag)"
    }

    /// Whether the pictures' alpha is stored separately, as in WebM.
    var hasOpacityBeside: Bool {
        let codec = stream.pointee.codecpar.pointee.codec_id
        return (codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9)
            && ffmpeg.av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0) != nil
    }

    /// The name, size with square pixels, codec, rate and orientation of the video track.
    var description: StreamDescription {
        let size = squareSize(of: stream.pointee.size)
        let turn = orientation.then(options.wholeOrientation)
        return StreamDescription(name: location.name, size: size, format: codec, rate: rate, orientation: turn)
    }

    /// The size of a decoded picture after scaling to square pixels.
    func squareSize(of stored: FrameSize, _ frame: UnsafeMutablePointer<AVFrame>? = nil) -> FrameSize {
        let aspect = aspect ?? frame?.pointee.sample_aspect_ratio.value
        return PictureLayout.squareSize(of: stored, aspect: aspect, maximumPixels: options.maximumPixels)
    }

    /// The length in seconds that the container states; nil if it states none, or FFmpeg had to estimate it.
    var announcedDuration: Double? {
        let duration = context.pointee.duration
        guard duration > 0, context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM else { return nil }
        return Double(duration) / Double(AV_TIME_BASE)
    }

    /// Whether the file has an index of all packets. Its stated length may then include parts that were trimmed.
    var isIndexed: Bool { demuxer.hasPrefix("mov") && stream.pointee.nb_frames > 0 }

    /// The minimum number of video packets according to the header; nil if it states none, or also counts trimmed ones.
    var announcedPackets: Int? {
        // One less, since the last counted packet is empty where each picture counts as two.
        let count = Int(stream.pointee.nb_frames) - 1
        return numbersItsPackets && count > 0 ? count : nil
    }

    /// Whether a packet's timestamp is its number, as in an avi. An avi's numbers and header also count empty packets.
    var numbersItsPackets: Bool { demuxer == "avi" }

    /// Whether the container's index points beyond the end of the file, because the file was cut off.
    var indexExceedsFile: Bool {
        guard location.path != nil, demuxer.hasPrefix("mov"), let io = context.pointee.pb else { return false }
        let size = ffmpeg.avio_size(io)
        let count = ffmpeg.avformat_index_get_entries_count(stream)
        guard size > 0, count > 0 else { return false }
        return (0..<count).contains { index in
            guard let entry = ffmpeg.avformat_index_get_entry(stream, index)?.pointee else { return false }
            return entry.pos > size - Int64(entry.size)
        }
    }

    /// The orientation that the container states for its pictures.
    var orientation: Orientation { facet_display_matrix(stream).map { Orientation(displayMatrix: $0) } ?? .up }

    /// Whether live pictures are shown at the presentation times that they carry, instead of on arrival.
    var isPlayedOut: Bool { isLive && !lacksTimes }
    /// The maximum delay of live pictures, in seconds, for smoothing bursts. It is longer for HLS, due to its segments.
    var longestDelay: Double { options.maximumDelay / .seconds(1) * (demuxer.hasPrefix("hls") ? 6 : 1) }

    /// Reads the next packet of any track; a stream must bring it within `limit`. Returns 0, or FFmpeg's error number.
    func read(into packet: UnsafeMutablePointer<AVPacket>, within limit: Duration? = nil) -> Int32 {
        if location.isStream {
            if let limit { opening.interrupt.limit(limit) }
            // FFmpeg's input for the sender's raw bytes counts them.
            opening.interrupt.limitBytes(of: opening.bytes?.source ?? context.pointee.pb)
        }
        return ffmpeg.av_read_frame(context, packet)
    }

    /// Explains an error number that `read` returned, other than that for the end of the file.
    func reason(of code: Int32) -> String {
        if FFmpeg.isPrematureEnd(code) { return "the sender ended the stream" }
        return opening.interrupt.reason(of: code, "no data", for: options.stallTimeout, setBy: "camera.stallTimeout")
    }
}

/// Opens a file or a stream, in several steps that share these parameters.
private struct Opening {
    let location: MediaLocation
    let interrupt: Interrupt
    let options: FrameSourceOptions
    let command: CommandOutput?
    /// The sender's bytes, from which FFmpeg reads; nil if FFmpeg opens the address itself.
    private(set) var bytes: SenderBytes?

    /// Finds out whether a web address or a command sends JPEGs. Throws if a web address sends a web page or JSON.
    mutating func readBeginning() throws(SourceFailure) {
        let isWeb = location.name.hasPrefix("http:") || location.name.hasPrefix("https:")
        guard command != nil ? raw == nil : isWeb else { return }
        try checkAuthority()
        FFmpegForgetErrors()
        let bytes = try failing(as: { failure($0.code) }) { () throws(FFmpegError) in
            try SenderBytes(command == nil ? connect() : FFmpegOwned(command?.io) { _ in })
        }
        if command == nil {
            if let problem = Self.problem(of: bytes.kind) { throw unreachable(problem, "check the address") }
            // A text may be a playlist, which names other addresses, so FFmpeg opens the address itself.
            if case .text = bytes.kind { return }
        }
        if bytes.kind == .pictures || bytes.canBeReread { self.bytes = bytes }
    }

    private func connect() throws(FFmpegError) -> FFmpegOwned<AVIOContext> {
        var io: UnsafeMutablePointer<AVIOContext>?
        var callback = interrupt.callback
        let code = FFmpeg.withOptions(inputOptions) { dictionary in
            ffmpeg.avio_open2(&io, location.address.revealed(), AVIO_FLAG_READ, &callback, dictionary)
        }
        guard code >= 0 else { throw FFmpegError(code: code) }
        return FFmpegOwned(io) { _ = ffmpeg.avio_closep($0) }
    }

    /// Explains to the user why a web address's answer cannot be pictures; nil if it may be pictures or a playlist.
    private static func problem(of kind: SenderBytes.Kind) -> String? {
        guard case .text(let text) = kind else { return kind == .nothing ? "the answer is empty" : nil }
        let beginnings: [Character: String] = ["<": "a web page", "{": "a text in JSON", "[": "a text in JSON"]
        let found = text.first { !$0.isWhitespace }.flatMap { beginnings[$0] }
        return found.map { "the answer is \($0), not a picture or a stream" }
    }

    private func unreachable(_ problem: String, _ remedy: String) -> SourceFailure {
        .init(.unreachable, "open the stream \(location.name)", problem, remedy)
    }

    /// Throws a clear error, where FFmpeg's would be vague, for a path that is missing, empty or not a regular file.
    private func check(_ path: String) throws(SourceFailure) {
        guard let status = fileStatus(path) else {
            guard errno != ENOENT, errno != ENOTDIR else {
                throw .init(.notFound, "open \(path)", "there is no such file", "check the path")
            }
            throw .unreadable(path, String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let problem = "it is a directory or a device, not a media file"
            throw .init(.unreadable, "open \(path)", problem, "name a clip or a picture in it")
        }
        guard status.st_size > 0 else {
            throw .init(.corrupt, "open \(path)", "the file is empty", "copy or record it again")
        }
    }

    func open() throws(SourceFailure) -> FFmpegOwned<AVFormatContext> {
        if let path = location.path { try check(path) }
        // Before version 9, FFmpeg's rtsps has no option to check certificates.
        if location.name.hasPrefix("rtsps:"), options.verifiesCertificate, LIBAVFORMAT_VERSION_MAJOR < 63 {
            let problem = "FFmpeg before version 9 cannot check its certificate"
            let remedy =
                "use gstreamer:rtspsrc location=rtsps://…, which checks it, or set camera.verifyCertificate: false"
            throw .init(.unsupported, "open the stream \(location.name)", problem, remedy)
        }
        try checkAuthority()
        FFmpegForgetErrors()
        var context = ffmpeg.avformat_alloc_context()
        context?.pointee.interrupt_callback = interrupt.callback
        context?.pointee.pb = bytes.map { $0.kind == .pictures ? $0.io : $0.source } ?? command?.io
        let format = raw != nil ? "rawvideo" : bytes?.kind == .pictures ? "mpjpeg" : nil
        // On failure FFmpeg frees the context.
        let result = FFmpeg.withOptions(inputOptions) { dictionary in
            let format = format.flatMap { ffmpeg.av_find_input_format($0) }
            return ffmpeg.avformat_open_input(&context, location.address.revealed().fileName, format, dictionary)
        }
        guard result >= 0, let context else { throw failure(result) }
        return FFmpegOwned(context) { [interrupt, command, bytes] context in
            interrupt.limitBytes(of: nil)
            // While it closes, FFmpeg still asks the interrupt, and may read from the other two.
            withExtendedLifetime((interrupt, command, bytes)) { ffmpeg.avformat_close_input(context) }
        }
    }

    private func checkAuthority() throws(SourceFailure) {
        // If the file could not be read, FFmpeg would use the machine's authorities instead.
        guard let file = options.certificateAuthority, access(file, R_OK) != 0 else { return }
        let problem = "the file of its authority, \(file), cannot be read (\(String(cString: strerror(errno))))"
        throw unreachable(problem, "check the path")
    }

    /// The properties of the pictures that an `exec:` command writes without headers; nil for all other inputs.
    private var raw: FrameSourceOptions.RawPictures? { command == nil ? nil : options.rawPictures }

    /// The container formats that may be read. Texts and playlists are excluded, as playlists could name other files.
    private static let formats =
        "mov,matroska,webm,avi,gif,asf,mpegts,mpeg,flv,ogg,h264,hevc,m4v,mjpeg,mpegvideo,ivf,apng,yuv4mpegpipe,dv,nut,"
        + "mpjpeg,image2,png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe,ppm_pipe,pgm_pipe,gif_pipe,jpegls_pipe,"
        + "j2k_pipe,qoi_pipe"

    private var inputOptions: [(String, String)] {
        if let raw {
            let format = PictureLayout.native(raw.format).flatMap { ffmpeg.av_pix_fmt_desc_get($0) }?.pointee.name
            return [
                ("video_size", "\(raw.size)"), ("framerate", "\(raw.rate ?? ClipSource.pictureRate)"),
                ("pixel_format", format.map { String(cString: $0) } ?? ""),
            ]
        }
        // `pattern_type` keeps a percent sign in a picture's name from being taken for a number series.
        let common = [("pattern_type", "none"), ("fpsprobesize", "0")]
        guard location.isStream else {
            return common + [("format_whitelist", Self.formats), ("protocol_whitelist", "file")]
        }
        let authority = options.certificateAuthority.map { [("ca_file", $0)] } ?? []
        return common + authority + [
            ("format_whitelist", Self.formats + ",rtsp,sdp,rtp,hls,live_flv,mp3,aac"),
            ("protocol_whitelist", "http,https,httpproxy,tls,tcp,udp,rtp,srtp,rtsp,rtsps,crypto"),
            // TCP gets through firewalls and loses no packets.
            ("rtsp_flags", "prefer_tcp"),
            // FFmpeg checks no certificate by itself before version 9.
            ("tls_verify", options.verifiesCertificate ? "1" : "0"),
            ("analyzeduration", "1000000"),
            // FFmpeg never becomes certain of a stream of JPEGs, and would first read a megabyte of it.
            ("formatprobesize", command == nil ? "1048576" : "32768"),
        ]
    }

    func videoStream(
        in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(SourceFailure) -> UnsafeMutablePointer<AVStream> {
        if !describePictures(in: context) { try findStreams(in: context) }
        guard context.pointee.nb_streams > 0 else { throw .unrecognized(location, "it has no tracks") }
        if location.path != nil { try passOverThumbnails(in: context) }
        let index = ffmpeg.av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, let stream = context.pointee.streams[Int(index)],
            // The cover picture of an album is not a clip.
            stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else {
            let problem = "it has no pictures, only sound or text"
            throw SourceFailure.unreadableKind(location)
                ?? .init(.noVideo, "use \(location.name)", problem, "name a clip with a video track")
        }
        let size = stream.pointee.size
        // A damaged file may state a negative side, which FFmpeg refuses only later.
        guard abs(size.width * size.height) <= options.maximumPixels else {
            throw .tooLarge(location.name, size, limit: options.maximumPixels)
        }
        return stream
    }

    /// Sets a JPEG stream's size from its first picture, so that FFmpeg need not decode many. Returns whether it could.
    private func describePictures(in context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        guard let size = bytes?.firstSize, size.width * size.height <= options.maximumPixels,
            let parameters = context.pointee.streams?[0]?.pointee.codecpar
        else { return false }
        (parameters.pointee.width, parameters.pointee.height) = (Int32(size.width), Int32(size.height))
        return true
    }

    /// Keeps FFmpeg from choosing a track with few pictures if another has many, even if the file marks it as default.
    private func passOverThumbnails(in context: UnsafeMutablePointer<AVFormatContext>) throws(SourceFailure) {
        let tracks = (0..<Int(context.pointee.nb_streams)).filter {
            context.pointee.streams[$0]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        }
        guard tracks.count > 1 else { return }
        // Newer versions of FFmpeg list the tiles of a HEIC as tracks, and would take one for the whole picture.
        if let failure = SourceFailure.unreadableKind(location) { throw failure }
        // Packets that are read from `context` here would be missing later.
        let again = try open()
        let packet = FFmpegOwned.packet()
        var pictures: [Int: Int] = [:]
        for _ in 0..<2000 where pictures.values.max() ?? 0 < 25 {
            guard ffmpeg.av_read_frame(again.pointer, packet.pointer) >= 0 else { break }
            let index = Int(packet.pointer.pointee.stream_index)
            if tracks.contains(index) { pictures[index, default: 0] += 1 }
            ffmpeg.av_packet_unref(packet.pointer)
        }
        let most = pictures.values.max() ?? 0
        for index in tracks where pictures[index, default: 0] * 8 < most {
            let flags = context.pointee.streams[index]?.pointee.disposition ?? 0
            // FFmpeg prefers all other tracks to those with this flag.
            context.pointee.streams[index]?.pointee.disposition =
                flags & ~AV_DISPOSITION_DEFAULT | AV_DISPOSITION_VISUAL_IMPAIRED
        }
    }

    /// Lets FFmpeg probe the beginning. It may decode pictures for that, and gets the limit on their size.
    private func findStreams(in context: UnsafeMutablePointer<AVFormatContext>) throws(SourceFailure) {
        var perStream = [OpaquePointer?](repeating: nil, count: Int(context.pointee.nb_streams))
        for index in perStream.indices {
            _ = ffmpeg.av_dict_set(&perStream[index], "max_pixels", "\(options.paddedMaximumPixels)", 0)
        }
        defer { for index in perStream.indices { ffmpeg.av_dict_free(&perStream[index]) } }
        let found = ffmpeg.avformat_find_stream_info(context, &perStream)
        // FFmpeg reports success when it is interrupted here, and the error with the first read.
        let code = found >= 0 && (interrupt.isOverdue || interrupt.isOverfull) ? facet_error_exit : found
        guard code >= 0 else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> SourceFailure {
        // This is FFmpeg's error for a format that is not in `formats`.
        let isRefused = code == FFmpeg.code(EINVAL)
        let isUnknown = isRefused || code == facet_error_invalid_data
        guard location.isStream else {
            if isUnknown, let failure = SourceFailure.unreadableKind(location) { return failure }
            if isRefused, let kind {
                if let format = kind.format.wholeMatch(of: /(\w+)_pipe/)?.output.1 {
                    return .unreadableKind(location.name, "a picture in the format \(format)")
                }
                let problem = "it is not a clip or a picture, but \(kind.name)"
                return .init(.noVideo, "use \(location.name)", problem, "name a file with pictures")
            }
            return isUnknown || code == facet_error_eof
                ? .unrecognized(location, FFmpeg.text(code)) : .unreadable(location.name, FFmpeg.text(code))
        }
        let words = interrupt.reason(of: code, "no answer", for: options.openTimeout)
        if let command {
            let reason = command.reason(isUnknown ? "it writes no known video format" : words)
            return .commandFailed(location.name, reason)
        }
        let isSecure = ["https:", "rtsps:"].contains { location.name.hasPrefix($0) }
        // FFmpeg's own words for these errors would say nothing of the connection.
        let reason =
            switch code {
            case facet_error_eof: "the connection was closed before a picture came"
            case _ where FFmpeg.isPrematureEnd(code): "the answer ended before a picture came"
            case _ where isUnknown: FFmpeg.explained("no video in a known format comes from it")
            case FFmpeg.code(EIO): FFmpeg.explained("the connection failed")
            default: FFmpeg.explained(words)
            }
        let remedy: String
        switch code {
        case _ where [facet_error_unauthorized, facet_error_forbidden].contains(code) || reason.contains(/\b40[13]\b/):
            remedy = "check the user and password"
        case facet_error_not_found: remedy = "check the path of the address"
        case facet_error_server: remedy = "the camera refuses for now: end other viewers, or restart it"
        case _ where isSecure && options.verifiesCertificate:
            remedy =
                "check the address, that its certificate is of this host, valid and of an authority that this machine "
                + "trusts (or set camera.verifyCertificate: false), and that the camera is on"
        case facet_error_eof, FFmpeg.code(ECONNRESET), FFmpeg.code(EIO):
            let other = isSecure ? location.name.prefix(4) + "://" : location.name.prefix(4) + "s://"
            remedy = "check the address, its port, whether it takes \(other), and that the camera is on"
        case _ where isUnknown: remedy = "check the address and its port"
        default: return unreachable(words, "check the address and that the camera is on")
        }
        return unreachable(reason, remedy)
    }

    /// FFmpeg's short and long names of the file's format, whether it is in `formats` or not; nil if it is unknown.
    private var kind: (format: String, name: String)? {
        let address = location.address.revealed().fileName
        var io: UnsafeMutablePointer<AVIOContext>?
        guard ffmpeg.avio_open(&io, address, AVIO_FLAG_READ) >= 0 else { return nil }
        defer { _ = ffmpeg.avio_closep(&io) }
        var format: UnsafePointer<AVInputFormat>?
        guard ffmpeg.av_probe_input_buffer2(io, &format, address, nil, 0, 0) >= 0, let format else {
            return nil
        }
        let name: UnsafePointer<CChar> = format.pointee.name
        return (String(cString: name), String(cString: format.pointee.long_name ?? name))
    }
}

extension FrameSourceOptions {
    /// The limit on pixels for FFmpeg, which also counts the rows and columns that fill up whole blocks.
    var paddedMaximumPixels: Int { maximumPixels + maximumPixels / 4 + 65_536 }
}
