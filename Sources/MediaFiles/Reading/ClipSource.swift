import CFFmpeg

/// Plays a clip, a picture file or a network stream as a source of frames.
///
/// A clip is any video that FFmpeg reads, with constant or variable frame rate. Its frames are in the decoder's memory,
/// or converted if `PixelFormat` cannot describe their pixels (palettes, 10 bits, planar RGB).
///
/// A picture file is delivered 30 times a second, for one second or, with `FrameSourceOptions.loops`, until stopped. It
/// is read again if it is replaced. An address that gives one picture per request is requested repeatedly.
///
/// A damaged picture is counted as `corrupt`, and playing goes on. A clip without its end, with a read error or with
/// more than a tenth of damaged pictures is played as far as possible, and ends with `.failed`, reason `corrupt`.
///
/// Network streams and commands (`exec:`) are opened again, 0.5 s to 30 s after they were lost. Whatever the `pace`,
/// frames are delivered on arrival or, if they come in bursts, a little later and spaced by their own times. The times
/// in their stamps are those of the delivery. A clip at an address that states its length is played as a file.
package final class ClipSource: FrameSource {
    /// The path, or the address without credentials.
    package var name: String { location.name }
    let location: MediaLocation
    let options: FrameSourceOptions
    let interrupt: Interrupt
    /// The reader that `init` opened; nil once it is played, and for streams.
    private let opened: Mutex<ClipReader?>

    /// Opens a file by its path or `file://` address. Only checks an address or an `exec:` command, which `run` opens.
    /// - Throws: `SourceFailure` if the file is missing, unreadable, empty, not a clip or picture, or without video.
    package init(_ location: String, options: FrameSourceOptions = FrameSourceOptions()) throws(SourceFailure) {
        let location = try MediaLocation(location)
        let interrupt = Interrupt()
        opened = Mutex(location.isStream ? nil : try ClipReader(location, interrupt: interrupt, options: options))
        (self.location, self.options, self.interrupt) = (location, options, interrupt)
    }

    /// Refuses an address that can never be opened, without opening it.
    package static func check(_ location: String) throws(SourceFailure) { _ = try MediaLocation(location) }

    /// Loads FFmpeg's codecs, its slowest part, in advance, for a caller that controls the order of loading libraries.
    package static func loadCodecs() { FFmpegCodecsLoad() }

    /// The file's size, codec and rate; nil for a network stream, and once `run` has begun.
    package var description: StreamDescription? { opened.withLock { $0?.input.description } }

    /// Whether the source is a file with one picture; false for a network stream, and once `run` has begun.
    package var isPicture: Bool { opened.withLock { $0?.input.isPicture ?? false } }

    /// The length in seconds that a file states; nil if it states none, for a network stream, and once `run` has begun.
    package var announcedDuration: Double? { opened.withLock { $0?.input.announcedDuration } }

    /// Plays the clip or the stream to its end, or until it is stopped. Blocks meanwhile.
    package func run(into mailbox: FrameMailbox) {
        var delivery = PictureDelivery(into: mailbox, until: interrupt.stop, longestGap: options.stallTimeout)
        SourceRunner(into: mailbox, until: interrupt.stop).run { () throws(SourceFailure) in try play(into: &delivery) }
    }

    /// Makes `run` end: at once if it waits or reads; if a full mailbox blocks it, once that is closed or drained.
    package func stop() { interrupt.stop.set() }

    /// Plays a file or a connection once.
    /// - Returns: How the source ended; nil to begin again.
    /// - Throws: The failure after which the source is to be opened again later.
    private func play(into delivery: inout PictureDelivery) throws(SourceFailure) -> SourceEvent.End? {
        let reader: ClipReader
        let began = ContinuousClock.now
        let before = delivery.delivered
        do throws(SourceFailure) {
            let first = opened.withLock { $0.take() }
            // Opened anew rather than rewound: not every format can be rewound, and opening takes a few milliseconds.
            reader = if let first { first } else { try ClipReader(location, interrupt: interrupt, options: options) }
        } catch {
            // A picture file may be half written just now.
            guard location.isStream || options.loops && before > 0 else { return .failed(error) }
            throw error
        }
        switch play(reader, into: &delivery) {
        case .stopped: return .stopped
        case .finished where location.isStream && delivery.delivered == before + 1 && reader.completeness.decoded == 1:
            // An address that gives one picture each time is asked again.
            let period = Duration.seconds(1 / (options.requestRate ?? Self.requestRate))
            _ = interrupt.stop.wait(for: period - began.duration(to: .now))
            return nil
        case _ where reader.input.isLive, .failed where location.isStream && reader.completeness.readError != nil:
            throw loss(reader)
        case .failed(let failure) where reader.input.isPicture && (location.isStream || options.loops && before > 0):
            throw failure
        case .finished where options.loops: return nil
        case let end: return end
        }
    }

    static let pictureRate = 30.0
    /// The default number of requests a second to an address that gives one picture per request.
    private static let requestRate = 5.0

    /// Delivers all pictures of an opened clip or connection.
    private func play(_ reader: ClipReader, into delivery: inout PictureDelivery) -> SourceEvent.End {
        let input = reader.input
        let isPicture = reader.input.isPicture
        let isPaced = options.pace == .realtime
        var stream = input.description
        if isPicture { stream.rate = location.isStream ? nil : Self.pictureRate }
        let isRequested = isPicture && location.isStream
        stream.isLive = input.isLive || isPaced || isRequested
        let timing: PictureDelivery.Timing =
            input.isLive || isRequested ? .live(hasTimes: input.isPlayedOut) : isPaced ? .paced : .file
        delivery.begin(timing, rate: stream.rate, isConnection: location.isStream, longestDelay: input.longestDelay)
        while !interrupt.stop.isSet {
            let step = reader.next { delivery.mailbox.isQuiet.load(ordering: .relaxed) }
            delivery.skip(reader.drainSkipped(), isCatchingUp: reader.isCatchingUp)
            switch step {
            case .picture(let frame, var presentation):
                delivery.mailbox.noteDecoding(reader.drainDecodingTime())
                // A JPEG states an orientation of its own, and a stream may change its size.
                (stream.size, stream.orientation) = (frame.size, frame.orientation)
                if !isPicture { (stream.decoder, stream.decoderDetail) = (reader.decoder.name, reader.decoder.detail) }
                var repetition = 0
                repeat {
                    let isTaken = delivery.deliver(frame, of: stream, at: presentation, age: reader.age)
                    guard isTaken else { return .stopped }
                    // A picture file is delivered again, one step later each time, for a second if it does not loop.
                    presentation = nil
                    repetition += 1
                    // A file that another program replaced is opened again.
                    if options.loops, isPicture, input.version != location.version { return .finished }
                } while isPicture && !isRequested && (options.loops || repetition < Int(Self.pictureRate))
                if isPicture { return .finished }
            case .damaged where isPicture, .end where isPicture:
                delivery.countDamage()
                let unknown = "it is damaged, cut off or of a kind that FFmpeg cannot decode"
                let reason = reader.completeness.readError ?? unknown
                return .failed(.undecodable(location, FFmpeg.explained(reason)))
            case .damaged: delivery.countDamage()
            case .end: return reader.completeness.problem.map { corrupt($0) } ?? .finished
            }
        }
        return .stopped
    }

    private func corrupt(_ problem: String) -> SourceEvent.End {
        let description = "could not play \(name) to its end: \(problem); copy or record it again."
        return .failed(SourceFailure(reason: .corrupt, description: description))
    }

    private func loss(_ reader: ClipReader) -> SourceFailure {
        let state = reader.completeness
        guard state.isUndecodable || (state.decoded == 0 && state.damaged > 0) else {
            let sent = state.readError ?? "the sender ended the stream"
            let (reason, way) = reader.input.command.map { ($0.reason(sent), "command") } ?? (sent, "network")
            let description = "lost the stream \(name): \(reason); trying again, check the camera and the \(way)."
            return .init(reason: .streamLost, description: description)
        }
        // The text has no counts, so that it is the same at the next try, and logged only once.
        let reason = state.isUndecodable ? state.readError ?? "" : "none of its pictures could be decoded"
        let remedy = "trying again, check the camera's format, its size and the network"
        return .init(.undecodable, "decode the stream \(name)", reason, remedy)
    }
}
