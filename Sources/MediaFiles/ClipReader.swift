import CFFmpeg
import Frames
import Glibc

/// Reads and decodes the pictures of one file or stream, one after the other.
final class ClipReader {
    /// A decoded picture with what the clip says about it.
    struct Picture {
        var decoded: DecodedPicture
        /// When it is to be shown, in seconds by the clip's own clock; nil if the clip does not say.
        var presentation: Double?
        var orientation: Orientation
        var encoding: YUVEncoding
    }

    /// What the next step brought.
    enum Step {
        case picture(Picture)
        /// A picture that could not be decoded; the next may be fine.
        case damaged
        /// Nothing comes any more; `completeness` says how it went.
        case end
    }

    let input: MediaInput
    private(set) var completeness = Completeness()
    private let decoder: VideoDecoder
    private let converter = PictureConverter()
    private let packet: UnsafeMutablePointer<AVPacket>
    private let readTimeout: Double
    private let orientation: Orientation
    private var isDraining = false

    /// Opens the location and the decoder of its video track.
    init(_ location: MediaLocation, interrupt: Interrupt, settings: ClipSource.Options) throws(MediaError) {
        input = try MediaInput(location, interrupt: interrupt, timeout: settings.openTimeout)
        decoder = try VideoDecoder(for: input, threads: settings.decodingThreads)
        guard let packet = av_packet_alloc() else { throw .undecodable(name: location.name, reason: "no memory") }
        self.packet = packet
        readTimeout = settings.readTimeout
        orientation = input.orientation
        completeness.announcedDuration = input.announcedDuration
        completeness.announcedPackets = input.announcedPackets
        completeness.indexExceedsFile = input.indexExceedsFile
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&packet)
    }

    /// Reads on until there is a picture, damage or the end.
    func next() -> Step {
        while true {
            switch decoder.receive() {
            case .picture(let decoded): return finish(decoded)
            case .damaged: return countDamage()
            case .drained: return .end
            case .needsPacket:
                guard feed() else { return countDamage() }
            }
        }
    }

    /// Gives the decoder the next packet of the video track.
    ///
    /// - Returns: false if it is damaged.
    private func feed() -> Bool {
        guard !isDraining else { return true }
        while true {
            let result = input.read(into: packet, timeout: readTimeout)
            guard result >= 0 else {
                if result != facet_error_eof { completeness.readError = FFmpeg.text(result) }
                isDraining = true
                return decoder.send(nil) >= 0
            }
            defer { av_packet_unref(packet) }
            note(packet.pointee)
            guard packet.pointee.stream_index == input.stream.pointee.index else { continue }
            completeness.countPacket(number: input.numbersItsPackets ? packet.pointee.dts : nil)
            return decoder.send(packet) >= 0
        }
    }

    /// Follows how far any of the tracks came.
    private func note(_ packet: AVPacket) {
        let time = packet.pts == facet_no_timestamp ? packet.dts : packet.pts
        guard time != facet_no_timestamp, let stream = input.context.pointee.streams[Int(packet.stream_index)] else {
            return
        }
        let base = stream.pointee.time_base
        // Not in integers: a damaged file can claim a duration that overflows them.
        let end = (Double(time) + max(0, Double(packet.duration))) * Double(base.num) / Double(base.den)
        let start = input.context.pointee.start_time
        let origin = start == facet_no_timestamp ? 0 : Double(start) / Double(AV_TIME_BASE)
        completeness.reached = max(completeness.reached, end - origin)
    }

    private func countDamage() -> Step {
        completeness.damaged += 1
        completeness.endsDamaged = true
        return .damaged
    }

    /// Converts the picture if it must be, and adds what the clip says about it.
    private func finish(_ decoded: DecodedPicture) -> Step {
        let native = AVPixelFormat(decoded.pointer.pointee.format)
        guard let picture = PictureLayout.direct(native) == nil ? converted(decoded, from: native) : decoded else {
            return countDamage()
        }
        completeness.decoded += 1
        completeness.endsDamaged = false
        let timestamp = picture.pointer.pointee.best_effort_timestamp
        let base = input.stream.pointee.time_base
        return .picture(
            Picture(
                decoded: picture,
                presentation: timestamp == facet_no_timestamp
                    ? nil : Double(timestamp) * Double(base.num) / Double(base.den),
                orientation: picture.statedOrientation ?? orientation,
                encoding: PictureLayout.encoding(of: picture.pointer, isStill: input.isStill)
            )
        )
    }

    private func converted(_ decoded: DecodedPicture, from format: AVPixelFormat) -> DecodedPicture? {
        var target = av_frame_alloc()
        defer { av_frame_free(&target) }
        guard let frame = target else { return nil }
        guard converter.convert(decoded.pointer, into: frame, format: PictureLayout.nearest(to: format)) else {
            return nil
        }
        return DecodedPicture(taking: frame)
    }
}

extension DecodedPicture {
    /// How the picture itself says it is to be turned: by EXIF in a JPEG, WebP or PNG.
    fileprivate var statedOrientation: Orientation? {
        if let matrix = av_frame_get_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX), matrix.pointee.size >= 36 {
            return UnsafeRawPointer(matrix.pointee.data).withMemoryRebound(to: Int32.self, capacity: 9) {
                Orientation(displayMatrix: $0)
            }
        }
        guard let entry = av_dict_get(pointer.pointee.metadata, "Orientation", nil, 0) else { return nil }
        let text = String(cString: entry.pointee.value)
        return Int(text.drop { $0 == " " }).flatMap(Orientation.init(rawValue:))
    }
}
