import CFFmpeg

/// Reads and decodes the pictures of one file or stream, one after the other.
final class ClipReader {
    enum Step {
        /// A picture with square pixels and orientation, but not yet its `stamp` (number and times). `presentation` is
        /// in seconds by the clip's clock: nil if the clip does not state it, infinite if it cannot be right.
        case picture(Frame, presentation: Double?)
        /// A picture that could not be decoded. The next one may be intact.
        case damaged
        /// The end of the input. `completeness` tells whether everything was read.
        case end
    }

    let input: MediaInput
    let decoder: VideoDecoder
    private(set) var completeness = Completeness()
    private var options: FrameSourceOptions { input.options }
    private let scaler = PixelScaler()
    private var converted = PicturePool()
    private let interrupt: Interrupt
    /// The packet queue of a live stream with timestamps; nil before the first packet, and for all other inputs.
    private var queue: PacketQueue?
    private var isDraining = false
    /// Decides which packets wait undecoded while no face is seen; nil if each packet is decoded as it comes.
    private var idle: IdleDecoding?
    /// The undecoded packets: `waiting` has those of the current group of pictures, `backlog` those to decode next.
    private var waiting: [ArrivedPacket] = []
    private var backlog: [ArrivedPacket] = []
    private var watched = Watched.nothing
    /// The presentation time, in the stream's ticks, of the key frame that was last shown while the rest of its group
    /// of pictures waited. If that rest is decoded later, the key frame is not shown a second time.
    private var shown: Int64?
    private var skipped = 0
    /// The time limit for catching up with the stream after packets waited undecoded; nil while not catching up.
    private var catchUpEnd: ContinuousClock.Instant?
    /// The arrival time of the packet that was decoded last.
    private var arrival = ContinuousClock.now
    private var decodingTime = WorkTime()
    /// The time at which waiting for the next picture began; nil while the caller has the newest one.
    private var waitingSince: ContinuousClock.Instant?
    /// The time, in seconds, of the picture read last from a file, and the interval since the picture before it.
    private var known: (time: Double, step: Double?)?
    /// The result that was read ahead to judge the newest picture's time. The next call of `next` returns it.
    private var following: Step?
    private lazy var headers = try? JPEGDecoder()

    init(
        _ location: MediaLocation,
        interrupt: Interrupt,
        options: FrameSourceOptions,
        devices: String = "/dev"
    ) throws(SourceFailure) {
        input = try MediaInput(location, interrupt: interrupt, options: options)
        decoder = try VideoDecoder(for: input, devices: devices)
        self.interrupt = interrupt
        idle = input.isPlayedOut && options.idleDecoding == .auto ? IdleDecoding() : nil
        completeness.announcedDuration = input.isIndexed ? nil : input.announcedDuration
        completeness.announcedPackets = input.announcedPackets
        completeness.indexExceedsFile = input.indexExceedsFile
    }

    /// Reads on to the next picture, damage or end. While no face is seen (`isQuiet`), packets of a stream may be
    /// skipped. A forward leap in a file's times is a pause if the next picture confirms it, otherwise a wrong time.
    func next(_ isQuiet: () -> Bool = { false }) -> Step {
        let step = exchange(&following, with: nil) ?? read(isQuiet)
        guard !input.isLive, case .picture(let frame, let time?) = step else { return step }
        guard let before = known, let usual = before.step, usual > 0, time - before.time > max(1, 10 * usual) else {
            known = (time, known.map { time - $0.time })
            return step
        }
        following = read(isQuiet)
        if case .picture(_, let next?)? = following, next > time {
            known = (time, usual)
            return step
        }
        known = (before.time + usual, usual)
        return .picture(frame, presentation: .infinity)
    }

    /// Reads on like `next`, but believes all times. A network stream must bring a picture, not just data, within
    /// `stallTimeout`. The first picture has `openTimeout` if that is longer, as its key frame may be seconds away.
    private func read(_ isQuiet: () -> Bool) -> Step {
        waitingSince = waitingSince ?? .now
        while true {
            switch decodingTime.measure({ decoder.receive() }) {
            case .picture(let decoded):
                let time = decoded.pointer.pointee.best_effort_timestamp
                if watched == .key {
                    shown = time
                } else if let known = exchange(&shown, with: nil), time == known {
                    // This key frame was shown already, before the rest of its group was decoded.
                    continue
                }
                guard let frame = decodingTime.measure({ frame(of: decoded) }) else { return countDamage() }
                waitingSince = nil
                return .picture(frame, presentation: input.stream.pointee.seconds(time))
            // A damaged key frame is counted when it is decoded again with its group.
            case .damaged where watched == .key: continue
            case .damaged: return countDamage()
            case .drained:
                guard !isDraining, watched != .nothing else { return .end }
                watchKey()
            case .needsPacket:
                if input.location.isStream, !isDraining, let waitingSince,
                    waitingSince.duration(to: .now) > pictureTimeout
                {
                    let time = Seconds.text(pictureTimeout)
                    let setting = pictureTimeout > options.stallTimeout ? "" : " (camera.stallTimeout)"
                    endUndecodable("no picture for \(time), though data comes\(setting)")
                }
                guard feed(isQuiet) else { return countDamage() }
            }
        }
    }

    /// The time spent on decoding and converting pictures since the last call.
    func drainDecodingTime() -> WorkTime { exchange(&decodingTime, with: WorkTime()) }

    private var pictureTimeout: Duration {
        completeness.decoded > 0 ? options.stallTimeout : max(options.stallTimeout, options.openTimeout)
    }

    private func endUndecodable(_ reason: String) {
        completeness.readError = reason
        completeness.isUndecodable = true
        isDraining = true
        _ = decoder.send(nil)
    }

    /// Gives the decoder the next packet of the video track that need not wait. Returns false if the packet is damaged.
    private func feed(_ isQuiet: () -> Bool) -> Bool {
        guard !isDraining else { return true }
        if !backlog.isEmpty { return send(backlog.removeFirst()) }
        while true {
            guard let next = nextPacket() else {
                isDraining = true
                leaveOut()
                return decoder.send(nil) >= 0
            }
            let packet = next.pointer.pointee
            completeness.countPacket(number: input.numbersItsPackets ? packet.dts : nil)
            let isKey = packet.flags & AV_PKT_FLAG_KEY != 0
            let time = input.stream.pointee.seconds(packet.pts)
            let bytes = Int(packet.size)
            switch idle?.decide(isKey: isKey, bytes: bytes, presentation: time, isQuiet: isQuiet()) ?? .decode {
            case .decode: return send(next)
            case .skip: skipped += 1
            case .wait: waiting.append(next)
            case .watch:
                leaveOut()
                waiting.append(next)
                waitingSince = .now
                watched = .before
                return decoder.send(nil) >= 0
            case .resume:
                backlog = exchange(&waiting, with: []) + [next]
                catchUpEnd = .now + Self.longestCatchUp
                return feed(isQuiet)
            }
            waitingSince = .now
        }
    }

    /// The next packet of the video track; nil at the end or after an error, which is noted in `completeness`.
    private func nextPacket() -> ArrivedPacket? {
        guard !input.isPlayedOut else {
            do throws(SystemError) {
                let queue = if let queue { queue } else { try PacketQueue(input, interrupt: interrupt) }
                self.queue = queue
                switch queue.next(patience: options.stallTimeout, most: .seconds(input.longestDelay)) {
                case .packet(let next): return next
                case .ended(let reason): completeness.readError = reason
                }
            } catch {
                completeness.readError = "\(error)"
            }
            return nil
        }
        while true {
            var next = ArrivedPacket()
            let result = input.read(into: next.pointer, within: options.stallTimeout)
            guard result >= 0 else {
                if result != facet_error_eof { completeness.readError = input.reason(of: result) }
                completeness.isUndecodable = result == facet_error_exit && input.hasUnusedBytes
                return nil
            }
            next.arrival = .now
            note(next.pointer.pointee)
            if next.pointer.pointee.stream_index == input.stream.pointee.index { return next }
        }
    }

    private func send(_ next: ArrivedPacket) -> Bool {
        arrival = next.arrival
        let isInTime = arrival.duration(to: .now) < .milliseconds(100) || queue?.isEmpty == true
        if let end = catchUpEnd, .now > end || backlog.isEmpty && isInTime { catchUpEnd = nil }
        let sent = decodingTime.measure { decoder.send(next.pointer) }
        if sent < 0 { checkSize(next.pointer.pointee) }
        if decoder.awaitsKey { waitingSince = .now }
        return sent >= 0
    }

    // MARK: - Packets that wait

    /// Which pictures come out of the decoder while a key frame is decoded without the rest of its group of pictures.
    private enum Watched {
        case nothing
        /// The pictures before the key frame.
        case before
        case key
    }

    private static let longestCatchUp = Duration.seconds(3)

    /// Whether packets that had waited undecoded are now being decoded.
    var isCatchingUp: Bool { catchUpEnd != nil }
    /// The time since the arrival of the packet that was decoded last; zero for an input that is not live.
    var age: Duration { input.isLive ? arrival.duration(to: .now) : .zero }

    /// The number of pictures that were skipped since the last call.
    func drainSkipped() -> Int { exchange(&skipped, with: 0) }

    /// Drops the waiting packets, and counts them as skipped except the key frame, which was shown.
    private func leaveOut() {
        skipped += max(0, waiting.count - 1)
        waiting = []
    }

    /// Decodes the key frame of the waiting group alone. It is called twice, each time that the decoder is drained:
    /// first to send the key frame, then to have the whole group decoded if the key frame gave no picture.
    private func watchKey() {
        decoder.flush()
        if watched == .before {
            watched = .key
            shown = nil
            if let key = waiting.first { _ = send(key) }
            _ = decoder.send(nil)
        } else {
            watched = .nothing
            guard shown == nil else { return }
            // The key frame is damaged, or cannot be decoded without other packets.
            idle = IdleDecoding()
            backlog = exchange(&waiting, with: [])
        }
    }

    /// Ends the reading if a JPEG was refused because of its size, since all that follow have the same size.
    private func checkSize(_ packet: AVPacket) {
        guard input.stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MJPEG, packet.size > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: packet.data, count: Int(packet.size))
        guard let size = try? headers?.size(of: bytes), size.width * size.height > options.maximumPixels else { return }
        endUndecodable(SourceFailure.tooManyPixels(size, limit: options.maximumPixels))
    }

    /// Notes the end time of a packet of any track in `completeness`.
    private func note(_ packet: AVPacket) {
        let time = packet.pts == facet_no_timestamp ? packet.dts : packet.pts
        guard let stream = input.context.pointee.streams[Int(packet.stream_index)]?.pointee,
            let begin = stream.seconds(time)
        else { return }
        // Not in integers: a damaged file can claim a duration that overflows them.
        let end = begin + max(0, Double(packet.duration)) * stream.time_base.seconds
        let start = input.context.pointee.start_time
        let origin = start == facet_no_timestamp ? 0 : Double(start) / Double(AV_TIME_BASE)
        completeness.reached = max(completeness.reached, end - origin)
    }

    private func countDamage() -> Step {
        completeness.damaged += 1
        completeness.endsDamaged = true
        return .damaged
    }

    /// Makes a frame of a decoded picture; nil if that is impossible. Square pixels that `Frame` can describe are not
    /// copied. Others are converted into memory that is reused. Transparent parts are laid over white.
    private func frame(of decoded: DecodedPicture) -> Frame? {
        guard decoded.size.width * decoded.size.height <= options.maximumPixels else { return nil }
        let size = input.squareSize(of: decoded.size, decoded.pointer)
        let isDirect = PictureLayout.direct(decoded.format) != nil && size == decoded.size
        let native = isDirect ? decoded.format : PictureLayout.nearest(to: decoded.format)
        let hasOpacity = native == AV_PIX_FMT_RGBA
        guard let format = hasOpacity ? .rgba : PictureLayout.direct(native) else { return nil }
        let encoding = PictureLayout.encoding(of: decoded.pointer, in: native, isPicture: input.isPicture)
        guard let picture = isDirect ? decoded : converted.lend(format: native, size: size) else { return nil }
        let pixels = PixelScaler.Pixels(picture.pointer, encoding: encoding)
        guard isDirect || scaler.convert(.init(decoded.pointer, encoding: encoding), to: pixels),
            let planes = pixels.framePlanes
        else { return nil }
        completeness.decoded += 1
        completeness.endsDamaged = false
        var frame = Frame(size: size, format: format, encoding: encoding, planes: planes, lease: picture)
        if hasOpacity, let pixels = picture.pointer.pointee.data.0 {
            frame.hasOpacity = Frame.layOverWhite(pixels, bytesPerRow: planes.first.bytesPerRow, size)
        }
        frame.colors = decoded.statedColors
        frame.orientation = (decoded.statedOrientation ?? input.orientation).then(options.wholeOrientation)
        return frame
    }
}
