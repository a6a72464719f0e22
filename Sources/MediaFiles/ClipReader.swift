import CFFmpeg
import FaceMetadata
import Frames
import Glibc
import System

/// Reads and decodes the pictures of one file or stream, one after the other.
final class ClipReader {
    struct Picture {
        /// The picture with square pixels, turned as the clip and the options say. Its stamp is not set yet.
        var frame: Frame
        /// When it is to be shown, in seconds by the clip's own clock; nil if the clip does not say.
        var presentation: Double?
    }

    enum Step {
        case picture(Picture)
        /// A picture that could not be decoded; the next may be fine.
        case damaged
        /// Nothing comes any more; `completeness` says how it went.
        case end
    }

    let input: MediaInput
    private(set) var completeness = Completeness()
    private let options: FrameSourceOptions
    private let decoder: VideoDecoder
    private let scaler = PixelScaler()
    private var converted = PixelMemoryPool()
    private let packet: FFmpegOwned<AVPacket>
    private let orientation: Orientation
    private var isDraining = false
    private var decodingTime = WorkTime()
    /// Since when the next picture has been waited for; nil while the caller has the newest one.
    private var waitingSince: ContinuousClock.Instant?
    private lazy var headers = try? JPEGDecoder()

    init(_ location: MediaLocation, interrupt: Interrupt, options: FrameSourceOptions) throws(SourceFailure) {
        input = try MediaInput(location, interrupt: interrupt, options: options)
        decoder = try VideoDecoder(for: input, options: options)
        packet = .packet()
        self.options = options
        orientation = input.orientation
        completeness.announcedDuration = input.announcedDuration
        completeness.announcedPackets = input.announcedPackets
        completeness.indexExceedsFile = input.indexExceedsFile
    }

    /// Reads on until there is a picture, damage or the end.
    ///
    /// A network stream must bring a picture, not only data, within `stallTimeout`, and the first one within
    /// `openTimeout` if that is longer: a picture that needs no other one may be seconds away.
    func next() -> Step {
        let start = waitingSince ?? .now
        waitingSince = start
        while true {
            switch decodingTime.measure({ decoder.receive() }) {
            case .picture(let decoded):
                guard let picture = decodingTime.measure({ finish(decoded) }) else { return countDamage() }
                waitingSince = nil
                return .picture(picture)
            case .damaged: return countDamage()
            case .drained: return .end
            case .needsPacket:
                if input.location.isStream, !isDraining, start.duration(to: .now) > pictureTimeout {
                    endUndecodable("no picture for \(MediaInput.seconds(pictureTimeout)), though data comes")
                }
                guard feed() else { return countDamage() }
            }
        }
    }

    /// How long decoding took since the last call, with the conversion of the pictures.
    func takeDecodingTime() -> WorkTime { exchange(&decodingTime, with: WorkTime()) }

    private var pictureTimeout: Duration {
        completeness.decoded > 0 ? options.stallTimeout : max(options.stallTimeout, options.openTimeout)
    }

    private func endUndecodable(_ reason: String) {
        completeness.readError = reason
        completeness.isUndecodable = true
        isDraining = true
        _ = decoder.send(nil)
    }

    /// Gives the decoder the next packet of the video track.
    ///
    /// - Returns: false if it is damaged.
    private func feed() -> Bool {
        guard !isDraining else { return true }
        let packet = packet.pointer
        while true {
            let result = input.read(into: packet)
            guard result >= 0 else {
                if result != facet_error_eof { completeness.readError = input.reason(of: result) }
                isDraining = true
                return decoder.send(nil) >= 0
            }
            defer { ffmpeg.av_packet_unref(packet) }
            note(packet.pointee)
            guard packet.pointee.stream_index == input.stream.pointee.index else { continue }
            completeness.countPacket(number: input.numbersItsPackets ? packet.pointee.dts : nil)
            let sent = decodingTime.measure { decoder.send(packet) }
            if sent < 0 { checkSize(packet.pointee) }
            return sent >= 0
        }
    }

    /// Ends the reading if a JPEG was refused because of its size, which would be found in every one that follows.
    private func checkSize(_ packet: AVPacket) {
        guard input.stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MJPEG, packet.size > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: packet.data, count: Int(packet.size))
        guard let size = try? headers?.size(of: bytes), size.width * size.height > options.maximumPixels else { return }
        endUndecodable(SourceFailure.tooManyPixels(size, limit: options.maximumPixels))
    }

    /// Follows how far any of the tracks came.
    private func note(_ packet: AVPacket) {
        let time = packet.pts == facet_no_timestamp ? packet.dts : packet.pts
        guard time != facet_no_timestamp, let stream = input.context.pointee.streams[Int(packet.stream_index)] else {
            return
        }
        // Not in integers: a damaged file can claim a duration that overflows them.
        let end = (Double(time) + max(0, Double(packet.duration))) * stream.pointee.time_base.seconds
        let start = input.context.pointee.start_time
        let origin = start == facet_no_timestamp ? 0 : Double(start) / Double(AV_TIME_BASE)
        completeness.reached = max(completeness.reached, end - origin)
    }

    private func countDamage() -> Step {
        completeness.damaged += 1
        completeness.endsDamaged = true
        return .damaged
    }

    /// Makes the picture a frame, and adds what the clip says about it; nil if that is impossible.
    private func finish(_ decoded: DecodedPicture) -> Picture? {
        guard var frame = frame(of: decoded) else { return nil }
        frame.orientation = (decoded.statedOrientation ?? orientation).then(options.orientation)
        completeness.decoded += 1
        completeness.endsDamaged = false
        let timestamp = decoded.pointer.pointee.best_effort_timestamp
        return Picture(
            frame: frame,
            presentation: timestamp == facet_no_timestamp
                ? nil : Double(timestamp) * input.stream.pointee.time_base.seconds
        )
    }

    /// The picture as a frame: without copying where `Frame` can describe its pixels and these are square, converted
    /// into memory that is used again otherwise.
    private func frame(of decoded: DecodedPicture) -> Frame? {
        guard decoded.size.width * decoded.size.height <= options.maximumPixels else { return nil }
        let size = input.squareSize(of: decoded)
        let isDirect = PictureLayout.direct(decoded.format) != nil && size == decoded.size
        let native = isDirect ? decoded.format : PictureLayout.nearest(to: decoded.format)
        guard let format = PictureLayout.direct(native) else { return nil }
        let encoding = PictureLayout.encoding(of: decoded.pointer, in: native, isStill: input.isStill)
        let source = PixelScaler.Pixels(decoded.pointer, encoding: encoding)
        var (pixels, lease): (PixelScaler.Pixels, any AnyObject & Sendable) = (source, decoded)
        if !isDirect {
            let bytes = Int(ffmpeg.av_image_get_buffer_size(native, Int32(size.width), Int32(size.height), 64))
            guard bytes > 0 else { return nil }
            // Some of libswscale's loops write a few bytes past the last row.
            let memory = converted.take(byteCount: bytes + 64)
            guard let target = PixelScaler.Pixels(memory, format: native, size: size, encoding: encoding),
                scaler.convert(source, to: target)
            else { return nil }
            (pixels, lease) = (target, memory)
        }
        guard let planes = pixels.planes(as: format) else { return nil }
        return Frame(
            stamp: FrameStamp(frame: 0, time: Timestamp(nanoseconds: 0), mediaTime: 0),
            captured: .now,
            size: size,
            format: format,
            encoding: encoding,
            planes: planes,
            lease: lease
        )
    }
}

/// What is known at the end of a clip about whether it was whole.
struct Completeness: Hashable {
    var decoded = 0
    /// Packets or pictures that were damaged beyond decoding.
    var damaged = 0
    var endsDamaged = false
    /// The error that ended the reading, other than the end of the file.
    var readError: String?
    /// Whether data came, and no picture could be made of it: for too long, or because it would be too large.
    var isUndecodable = false
    /// Packets of the video track, as far as they were counted.
    var packets = 0
    /// How many of them the header states, if it does.
    var announcedPackets: Int?
    /// The latest end of any track's packet in seconds from the clip's start.
    var reached = 0.0
    /// The length in seconds that the container states, if it does.
    var announcedDuration: Double?
    /// Whether the container's index points behind the end of the file.
    var indexExceedsFile = false

    /// How much of the stated length may be missing: the last picture's duration is often unknown.
    static let durationTolerance = 0.5
    /// Up to this share of damaged pictures a clip counts as played; a recording with a few broken blocks is no failure.
    static let damagedShare = 0.1

    /// Counts a packet of the video track.
    ///
    /// - Parameter number: its place in the track, from 0, if the container says: those that were left out count too.
    mutating func countPacket(number: Int64?) {
        let before = max(packets, number.map { Int(clamping: $0) } ?? 0)
        packets = before == .max ? before : before + 1
    }

    /// Why the clip must not count as played to its end, in words; nil if it was whole.
    var problem: String? {
        if let readError { return "reading failed after \(pictures) (\(readError))" }
        if decoded == 0 {
            return damaged == 0 ? "it holds no pictures" : "none of its \(damaged) pictures could be decoded"
        }
        if indexExceedsFile {
            return "its end is missing: the file is shorter than its index says; \(pictures) could be played"
        }
        if let announcedPackets, packets < announcedPackets {
            return "its end is missing: \(packets) of \(announcedPackets) pictures are there"
        }
        if let announcedDuration, reached + Self.durationTolerance < announcedDuration {
            return "its end is missing: it stops at \(Self.tenths(reached)) of \(Self.tenths(announcedDuration)) s"
        }
        if endsDamaged { return "its last picture is damaged, the end may be missing; \(pictures) could be played" }
        if Double(damaged) > Self.damagedShare * Double(decoded + damaged) {
            return "\(damaged) of \(decoded + damaged) pictures are damaged"
        }
        return nil
    }

    private var pictures: String { decoded == 1 ? "1 picture" : "\(decoded) pictures" }

    private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
