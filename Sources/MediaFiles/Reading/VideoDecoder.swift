import CFFmpeg

/// Decodes the packets of one video track, in hardware if that is wanted and possible, otherwise in software. If the
/// hardware fails, software continues with the next key frame.
final class VideoDecoder {
    private var context: FFmpegOwned<AVCodecContext>
    private let frame = FFmpegOwned.frame()
    private let codec: UnsafePointer<AVCodec>
    private let input: MediaInput
    private var device: HardwareDevice?
    /// The reason for decoding in software, not hardware, for `StreamDescription.decoderDetail`; nil if there is none.
    private(set) var detail: String?
    /// Whether pictures come from the hardware. FFmpeg continues in software if a device does not take a stream.
    private var usesDevice = false
    private var hasPicture = false
    /// The number of successive pictures that failed in hardware.
    private var failures = 0
    private var isDraining = false
    /// The time until which, after a switch to software, only key frames are taken, as others need lost pictures.
    private var keyDeadline: ContinuousClock.Instant?
    /// The number of successive failures that count as broken hardware. Lost packets usually damage fewer pictures.
    private static let mostFailures = 3
    /// The minimum size of pictures for hardware, in pixels. Smaller ones cost software little, while hardware has the
    /// costs of a loaded driver and of copying each picture.
    private static let smallestPixels = 640 * 480 + 1

    enum Output {
        case picture(DecodedPicture)
        case damaged
        case needsPacket
        case drained
    }

    /// Opens the decoder. `devices` is the directory of the machine's device nodes.
    /// - Throws: `SourceFailure` if the installed FFmpeg does not decode the codec.
    init(for input: MediaInput, devices: String) throws(SourceFailure) {
        let size = input.stream.pointee.size
        guard let codec = Self.codec(for: input) else { throw .noDecoder(input) }
        self.codec = codec
        self.input = input
        let isWanted =
            switch input.options.decoder {
            case .auto: input.isLive && size.width * size.height >= Self.smallestPixels
            case .software: false
            case .hardware: !input.isPicture
            }
        if isWanted {
            do throws(HardwareDevice.Failure) {
                device = try HardwareDevice.open(for: codec, in: devices)
            } catch {
                if input.options.decoder == .hardware { detail = Self.explanation(error.reason) }
            }
        }
        usesDevice = device != nil
        context = try Self.open(codec, for: input, device)
        FFmpegForgetErrors()
    }

    /// The decoder for an input. FFmpeg's own decoders of VP8 and VP9 ignore alpha that is stored separately, and would
    /// reveal erased parts, so libvpx is used then.
    private static func codec(for input: MediaInput) -> UnsafePointer<AVCodec>? {
        let id = input.stream.pointee.codecpar.pointee.codec_id
        guard input.hasOpacityBeside else { return ffmpeg.avcodec_find_decoder(id) }
        return ffmpeg.avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9")
    }

    private static func open(
        _ codec: UnsafePointer<AVCodec>,
        for input: MediaInput,
        _ device: HardwareDevice?
    ) throws(SourceFailure) -> FFmpegOwned<AVCodecContext> {
        let context = FFmpegOwned.codec(codec)
        let opened = context.pointer
        guard ffmpeg.avcodec_parameters_to_context(opened, input.stream.pointee.codecpar) >= 0 else {
            throw .noDecoder(input, reason: "there is not enough memory")
        }
        // One thread costs the least processor time, and is fast enough for most streams.
        opened.pointee.thread_count = 1
        opened.pointee.pkt_timebase = input.stream.pointee.time_base
        // FFmpeg checks the picture's own header against this before it allocates memory.
        opened.pointee.max_pixels = Int64(input.options.paddedMaximumPixels)
        // A damaged picture file is refused, as half a picture would be analysed as if it were the whole.
        if input.isPicture, !Self.hasTags(codec) { opened.pointee.err_recognition = AV_EF_EXPLODE }
        opened.pointee.hw_device_ctx = device.flatMap { ffmpeg.av_buffer_ref($0.reference.pointer) }
        let result = ffmpeg.avcodec_open2(opened, codec, nil)
        guard result >= 0 else { throw .noDecoder(input, reason: FFmpeg.text(result)) }
        return context
    }

    /// The decoder's name, for `StreamDescription.decoder`.
    var name: String { usesDevice ? device?.name ?? "" : "software" }
    /// Whether no picture can come before the next key frame.
    var awaitsKey: Bool { keyDeadline != nil }

    /// Gives the decoder a packet, or nil at the end. Returns 0, or FFmpeg's error number if the packet is damaged.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Int32 {
        isDraining = packet == nil
        let isKey = packet.map { $0.pointee.flags & AV_PKT_FLAG_KEY != 0 } ?? true
        if let deadline = keyDeadline, !isKey, .now < deadline { return facet_error_invalid_data }
        if packet != nil { keyDeadline = nil }
        let code = ffmpeg.avcodec_send_packet(context.pointer, packet)
        guard code < 0, packet != nil, leavesDevice(code, isKey: isKey), isKey else { return code }
        return send(packet)
    }

    /// Makes a drained decoder take packets again, beginning with a key frame.
    func flush() {
        isDraining = false
        ffmpeg.avcodec_flush_buffers(context.pointer)
    }

    func receive() -> Output {
        let code = ffmpeg.avcodec_receive_frame(context.pointer, frame.pointer)
        switch code {
        case 0... where input.isPicture && Self.hasTags(codec) && !FFmpeg.newestError.isEmpty: return .damaged
        case 0...: return device == nil ? .picture(DecodedPicture(taking: frame.pointer)) : fetch()
        case FFmpeg.code(EAGAIN): return .needsPacket
        case facet_error_eof: return .drained
        default:
            _ = leavesDevice(code, isKey: false)
            return .damaged
        }
    }

    /// Whether the format has tags that make FFmpeg's strict mode refuse even intact pictures, as TIFF has. Damage is
    /// then recognised by FFmpeg's messages.
    private static func hasTags(_ codec: UnsafePointer<AVCodec>) -> Bool { codec.pointee.id == AV_CODEC_ID_TIFF }

    // MARK: - The device

    /// Takes the decoded picture, copied out of the device's memory if necessary.
    private func fetch() -> Output {
        hasPicture = true
        usesDevice = frame.pointer.pointee.hw_frames_ctx != nil
        guard usesDevice else {
            if input.options.decoder == .hardware, detail == nil, let device {
                detail = Self.explanation(FFmpeg.explained("\(device.name) does not decode it"))
            }
            return .picture(DecodedPicture(taking: frame.pointer))
        }
        defer { ffmpeg.av_frame_unref(frame.pointer) }
        let copy = FFmpegOwned.frame()
        var code = ffmpeg.av_hwframe_transfer_data(copy.pointer, frame.pointer, 0)
        if code >= 0 { code = ffmpeg.av_frame_copy_props(copy.pointer, frame.pointer) }
        guard code >= 0 else {
            _ = leaveDevice(code)
            return .damaged
        }
        failures = 0
        detail = nil
        return .picture(copy)
    }

    /// Switches to software if failed pictures seem to be the hardware's fault: after several in a row or, before the
    /// first good picture, after a failed key frame. Returns whether it switched.
    private func leavesDevice(_ code: Int32, isKey: Bool) -> Bool {
        guard usesDevice else { return false }
        failures += 1
        return (hasPicture ? failures >= Self.mostFailures : isKey) && leaveDevice(code)
    }

    private func leaveDevice(_ code: Int32) -> Bool {
        guard let device, let next = try? Self.open(codec, for: input, nil) else { return false }
        detail = Self.explanation(FFmpeg.explained("\(device.name) failed: \(FFmpeg.text(code))"))
        self.device = nil
        usesDevice = false
        context = next
        keyDeadline = .now + input.options.openTimeout
        // The reader is draining the decoder, and only a new one that is drained too reports the end.
        if isDraining { _ = send(nil) }
        return true
    }

    private static func explanation(_ reason: String) -> String {
        "\(reason); `facet doctor` says what to install, and camera.decoder: software leaves hardware alone"
    }
}

/// A reference to a decoded picture in FFmpeg's memory, which returns to FFmpeg's pool when the reference ends. It may
/// go to another thread: FFmpeg counts references atomically, and a decoder never changes a picture that is in use.
typealias DecodedPicture = FFmpegOwned<AVFrame>

extension DecodedPicture {
    /// Takes the picture out of the decoder's frame, which is empty afterwards.
    convenience init(taking source: UnsafeMutablePointer<AVFrame>) {
        self.init(ffmpeg.av_frame_alloc(), ffmpeg.av_frame_free)
        ffmpeg.av_frame_move_ref(pointer, source)
    }

    var size: FrameSize { pointer.pointee.size }
    var format: AVPixelFormat { AVPixelFormat(pointer.pointee.format) }

    /// The primaries, transfer function and ICC profile that the picture states for its colours; nil if it states none.
    var statedColors: ColorStatement? {
        let primaries = UInt8(clamping: pointer.pointee.color_primaries.rawValue)
        var stated = ColorStatement(primaries: primaries, transfer: UInt8(clamping: pointer.pointee.color_trc.rawValue))
        if let data = ffmpeg.av_frame_get_side_data(pointer, AV_FRAME_DATA_ICC_PROFILE)?.pointee {
            let profile = Array(UnsafeBufferPointer(start: data.data, count: data.size))
            // These bytes name the profile's colour space. Only RGB is used, since FFmpeg converts CMYK to RGB.
            if profile.dropFirst(16).starts(with: "RGB ".utf8) { stated.profile = profile }
        }
        return stated == ColorStatement() ? nil : stated
    }

    /// The orientation that the picture itself states, by EXIF in a JPEG, WebP or PNG.
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
