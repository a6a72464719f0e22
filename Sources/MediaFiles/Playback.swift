import FaceMetadata
import Frames

/// Gives a source's pictures their stamps and delivers them at their time.
struct Playback {
    let options: ClipSource.Options
    let interrupt: Interrupt
    let mailbox: FrameMailbox
    private var timeline = PresentationTimeline(rate: nil)
    private var nextFrame = 0
    private var started: (clock: ContinuousClock.Instant, wall: Timestamp)?
    private var stream: StreamDescription?
    private var isAnnounced = false
    /// Whether pictures were damaged since the newest good one.
    private var hasDamage = false
    /// Whether pictures come when they happen.
    private var isLive = false
    private var lacksTimes = false

    static let stillRate = 30.0
    /// How many times it comes if it is not looped: for one second.
    static let stillFrames = 30
    /// A media time beyond this, in seconds, is damage.
    static let longestTime = 1e9

    init(options: ClipSource.Options, interrupt: Interrupt, mailbox: FrameMailbox) {
        self.options = options
        self.interrupt = interrupt
        self.mailbox = mailbox
    }

    /// Begins with an input, and reports it with the first picture: a sender that only says that it has some has none yet.
    mutating func begin(with input: MediaInput) {
        var description = input.description
        if input.isStill { description.rate = Self.stillRate }
        description.isLive = input.isLive || options.pace == .realtime
        timeline.nominalStep = 1 / (description.rate ?? Self.stillRate)
        stream = description
        isAnnounced = false
        isLive = input.isLive
        lacksTimes = input.lacksTimes
    }

    /// Lets the next picture follow the newest one, whatever its own time is.
    mutating func beginRound() {
        timeline.beginRound()
    }

    /// Lets the first picture of a new connection be shown now.
    mutating func beginConnection() {
        timeline.beginRound(notBefore: started.map { $0.clock.duration(to: .now) / .seconds(1) } ?? 0)
    }

    /// Delivers all pictures of a clip.
    ///
    /// - Returns: how the source ended; nil if the clip was played to its end.
    mutating func play(_ reader: ClipReader) -> SourceEnd? {
        while !interrupt.isStopped {
            switch reader.next() {
            case .picture(let picture):
                guard deliver(picture) else { return .stopped }
            case .damaged:
                countDamage()
            case .end:
                guard !interrupt.isStopped else { return .stopped }
                return reader.completeness.problem.map { .failed(Self.corrupt(reader, $0)) }
            }
        }
        return .stopped
    }

    /// Delivers a still picture again and again.
    ///
    /// - Returns: how the source ended; nil after the last repetition.
    mutating func hold(_ reader: ClipReader) -> SourceEnd? {
        guard case .picture(var picture) = reader.next() else {
            guard !interrupt.isStopped else { return .stopped }
            mailbox.count(.corrupt)
            return .failed(Self.corrupt(reader, reader.completeness.readError ?? "the picture is damaged or cut off"))
        }
        // From the second on, each comes one step later.
        var repetition = 0
        while options.loops || repetition < Self.stillFrames {
            if repetition == 1 { picture.presentation = nil }
            guard deliver(picture) else { return .stopped }
            repetition += 1
        }
        return nil
    }

    /// Waits for the picture's time and puts it into the mailbox.
    ///
    /// - Returns: false if the source was stopped or the mailbox closed.
    private mutating func deliver(_ picture: ClipReader.Picture) -> Bool {
        let start = started ?? (.now, .wallClock())
        started = start
        let elapsed = start.clock.duration(to: .now) / .seconds(1)
        let mediaTime =
            isLive && lacksTimes
            ? timeline.mediaTime(arrival: elapsed) : timeline.mediaTime(presentation: picture.presentation)
        guard mediaTime < Self.longestTime else {
            countDamage()
            return true
        }
        if options.pace == .realtime, !isLive {
            let due = start.clock.advanced(by: .seconds(mediaTime))
            guard wait(until: due) else { return false }
        }
        hasDamage = false
        guard !interrupt.isStopped else { return false }
        // A live stream may go on for months, in which the wall clock is set and the sender's clock goes its own way.
        let time = isLive ? .wallClock() : start.wall.advanced(bySeconds: mediaTime)
        let stamp = FrameStamp(frame: nextFrame, time: time, mediaTime: mediaTime)
        var frame = picture.frame(stamp: stamp, options: options)
        // As with a camera, whose pictures keep their time however late they are taken.
        if options.pace == .realtime, !isLive {
            frame.captured = min(frame.captured, start.clock.advanced(by: .seconds(mediaTime)))
        }
        nextFrame += 1
        // A JPEG states its orientation itself.
        stream?.orientation = frame.orientation
        return announce() && mailbox.put(.frame(frame))
    }

    /// Waits for a picture's time. Where damaged ones leave a gap, the source counts as lost after `readTimeout`.
    ///
    /// - Returns: false if the source was stopped or the mailbox closed.
    private mutating func wait(until due: ContinuousClock.Instant) -> Bool {
        let gap = ContinuousClock.now.duration(to: due)
        if hasDamage, isAnnounced, gap > .seconds(options.readTimeout), let stream {
            guard interrupt.wait(for: .seconds(options.readTimeout)), mailbox.put(.lost(Self.undecodable(stream.name)))
            else {
                return false
            }
            isAnnounced = false
        }
        return interrupt.wait(for: ContinuousClock.now.duration(to: due))
    }

    /// Reports what streams, if that was not reported yet.
    ///
    /// - Returns: false if the mailbox is closed.
    private mutating func announce() -> Bool {
        guard !isAnnounced, let stream else { return true }
        isAnnounced = true
        return mailbox.put(.streaming(stream))
    }

    /// A picture that came and cannot be shown.
    private mutating func countDamage() {
        mailbox.count(.corrupt)
        nextFrame += 1
        hasDamage = true
    }

    private static func corrupt(_ reader: ClipReader, _ problem: String) -> SourceFailure {
        let name = reader.input.location.name
        return .init(.corrupt, "could not play \(name) to its end: \(problem); copy or record it again.")
    }

    /// Nothing in a part of a clip could be decoded.
    private static func undecodable(_ name: String) -> SourceFailure {
        .init(.undecodable, "cannot decode a part of \(name); continuing after it: copy or record it again.")
    }
}

extension ClipReader.Picture {
    /// The picture as a frame with that stamp, turned as the file says and then as the user says.
    func frame(stamp: FrameStamp, options: ClipSource.Options) -> Frame {
        var frame = frame
        frame.stamp = stamp
        frame.captured = .now
        frame.orientation = options.turned(frame.orientation)
        return frame
    }
}

/// Turns the presentation times of a clip's pictures into media times that start at 0 and always grow.
///
/// - A missing time continues by one nominal frame.
/// - A time that is not later than the one before, by up to a second, comes 1 ms after it: the pictures after it keep
///   their own times.
/// - A larger step back is a clip that begins again (recordings put together do so): it continues one nominal frame
///   later, and all further times are shifted with it. So does a step of more than a day ahead, which is damage.
struct PresentationTimeline {
    /// The media time of the newest picture; nil before the first.
    private(set) var latest: Double?

    /// Seconds from one picture to the next where the clip does not say.
    var nominalStep: Double

    /// What is added to presentation times; nil until the first picture of a round.
    private var offset: Double?
    private var earliestOfRound = 0.0

    private static let smallestStep = 0.001
    /// Small enough that pictures which come all at once do not run ahead of the clock.
    private static let smallestArrivalStep = 0.000_001
    private static let longestBackwardStep = 1.0
    private static let longestForwardStep = 86_400.0

    /// Makes a timeline for a clip that shows that many pictures a second; 30 if it does not say.
    init(rate: Double?) {
        nominalStep = 1 / (rate ?? 30)
    }

    /// Lets the next picture, whatever its time, follow the newest one: a clip begins again, a stream came back.
    ///
    /// - Parameter earliest: the media time that it must at least get, in seconds.
    mutating func beginRound(notBefore earliest: Double = 0) {
        offset = nil
        earliestOfRound = earliest
    }

    /// The media time in seconds of the next picture, with its presentation time in seconds, nil if it has none.
    mutating func mediaTime(presentation: Double?) -> Double {
        let next = max(earliestOfRound, latest.map { $0 + nominalStep } ?? 0)
        guard let presentation else { return settle(next) }
        guard let offset else { return reanchor(presentation, at: next) }
        let time = presentation + offset
        guard let latest else { return settle(time) }
        guard time - latest < Self.longestForwardStep, latest - time <= Self.longestBackwardStep else {
            return reanchor(presentation, at: next)
        }
        return settle(time > latest ? time : latest + Self.smallestStep)
    }

    /// The media time in seconds of a picture that has no time but that of its arrival, in seconds since the first one.
    mutating func mediaTime(arrival: Double) -> Double {
        settle(latest.map { max(arrival, $0 + Self.smallestArrivalStep) } ?? 0)
    }

    private mutating func reanchor(_ presentation: Double, at time: Double) -> Double {
        offset = time - presentation
        return settle(time)
    }

    private mutating func settle(_ time: Double) -> Double {
        latest = time
        earliestOfRound = 0
        return time
    }
}
