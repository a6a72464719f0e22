import Synchronization
package import System

/// A signal that a source must end.
package typealias StopSignal = Monitor<Bool>

extension Monitor where Value == Bool {
    package var isSet: Bool { read(\.self) }

    package func set() { update { $0 = true } }

    /// Blocks for a duration, or until the signal is set.
    /// - Returns: Whether the time passed.
    package func wait(for duration: Duration) -> Bool { wait(for: duration) { $0 ? () : nil } == nil }
}

/// Delivers a source's pictures: stamps them, waits for their time, and puts them into the mailbox.
package struct PictureDelivery {
    /// The way in which a source's pictures come.
    package enum Timing: Equatable {
        /// Each picture at once, with a time of its own.
        case file
        /// Each picture when its own time has come.
        case paced
        /// Each picture when it happens; one without a time of its own has that of its arrival.
        case live(hasTimes: Bool)
    }

    /// The number of pictures that were delivered.
    package private(set) var delivered = 0
    package let mailbox: FrameMailbox
    private let stop: StopSignal
    private let longestGap: Duration
    private var timing = Timing.file
    private var timeline = PresentationTimeline(rate: nil)
    /// The plan of when to show the pictures of a live source that have times of their own.
    private var playOut = PlayOut(longestDelay: 0, rate: nil)
    /// The time at which the newest picture came, and its media time, in seconds since the first.
    private var newest: (arrival: Double, mediaTime: Double)?
    /// The error of the pictures' times that was found; nil while the times are believed.
    private var timesDetail: String?
    private var nextFrame = 0
    private var skipped = 0
    private var started: (clock: ContinuousClock.Instant, wall: Timestamp)?
    /// The time by which the pictures of a paced source come later than planned, because it once fell behind.
    private var delay = Duration.zero
    /// Whether pictures were damaged since the newest good one.
    private var hasDamage = false
    /// The lateness of a paced picture from which on later ones are planned anew: less than the age at which frames are
    /// dropped, or nothing would be analysed with a decoder that is slower than real time.
    private static let longestDelay = Duration.milliseconds(500)

    /// Makes a delivery that `stop` ends. A paced source counts as lost after a damaged gap of `longestGap`.
    package init(into mailbox: FrameMailbox, until stop: StopSignal, longestGap: Duration) {
        (self.mailbox, self.stop, self.longestGap) = (mailbox, stop, longestGap)
    }

    /// Begins a round: the next picture, whatever its own time, follows the newest one, or is shown now if it is a
    /// connection's. `rate` is the number of pictures a second, nil if unknown. Live pictures with times wait at most
    /// `longestDelay`, in seconds, for those that come later.
    package mutating func begin(
        _ timing: Timing,
        rate: Double?,
        isConnection: Bool,
        longestDelay: Double = 0
    ) {
        self.timing = timing
        timeline.rate = rate
        if case .live = timing { timeline.longestStep = PresentationTimeline.longestStepOfLive }
        playOut = PlayOut(longestDelay: longestDelay, rate: rate)
        let elapsed = started.map { $0.clock.duration(to: .now) / .seconds(1) }
        timeline.beginRound(notBefore: isConnection ? elapsed ?? 0 : 0)
    }

    /// Stamps a picture, waits for its time and puts it into the mailbox, with the stream's description if that is new.
    /// `presentation` is in seconds by the source's clock, nil if it does not say; `age` is the time since the capture.
    /// - Returns: False if the source was stopped or the mailbox closed.
    package mutating func deliver(
        _ picture: Frame,
        of stream: StreamDescription,
        at presentation: Double?,
        age: Duration = .zero
    ) -> Bool {
        var frame = picture
        frame.captured = .now - age
        let start = started ?? (frame.captured, Timestamp.wallClock().advanced(bySeconds: -(age / .seconds(1))))
        started = start
        let arrival = start.clock.duration(to: frame.captured) / .seconds(1)
        let mediaTime = mediaTime(presentation: presentation, arrival: arrival)
        guard mediaTime < FrameStamp.longestMediaTime else {
            countDamage()
            return true
        }
        if timing == .live(hasTimes: true) {
            let due = start.clock.advanced(by: .seconds(mediaTime))
            let lateness = due.duration(to: .now)
            // What is caught up with is late for good reason; a decoder that is too slow never comes up with the plan.
            if lateness > Self.longestDelay, !mailbox.isCatchingUp.load(ordering: .relaxed) {
                playOut.postpone(by: lateness / .seconds(1))
            }
            frame.captured = due
            _ = stop.wait(for: .zero - lateness)
        } else if timing == .paced {
            // A picture keeps the time at which it was due, however late it is taken, as that of a camera does.
            let lateness = start.clock.advanced(by: .seconds(mediaTime) + delay).duration(to: frame.captured)
            if lateness > Self.longestDelay { delay += lateness }
            frame.captured = start.clock.advanced(by: .seconds(mediaTime) + delay)
            guard wait(until: frame.captured, stream) else { return false }
        }
        hasDamage = false
        guard !stop.isSet else { return false }
        // The wall clock may be set while a live source runs, and a sender's clock goes its own way.
        let isFile = timing == .file || timing == .paced
        let age = frame.captured.duration(to: .now) / .seconds(1)
        let time =
            isFile
            ? start.wall.advanced(bySeconds: mediaTime + delay / .seconds(1))
            : Timestamp.wallClock().advanced(bySeconds: -age)
        frame.stamp = FrameStamp(frame: nextFrame, time: time, mediaTime: mediaTime)
        frame.skipped = exchange(&skipped, with: 0)
        nextFrame += 1
        delivered += 1
        var stream = stream
        stream.timesDetail = timesDetail
        return mailbox.announce(stream) && mailbox.put(.frame(frame))
    }

    /// The media time in seconds of the next picture: its own time, as far as that is possible.
    mutating func mediaTime(presentation: Double?, arrival: Double) -> Double {
        guard timing != .live(hasTimes: false) else { return timeline.mediaTime(arrival: arrival) }
        let corrections = timeline.corrections
        let isLive = timing == .live(hasTimes: true)
        let pause = newest.map { max(0, arrival - $0.arrival) } ?? 0
        var time = timeline.mediaTime(presentation: presentation, after: isLive ? pause : 0)
        if timeline.corrections > corrections {
            mailbox.countRetimed()
            timesDetail = timesDetail ?? "some of its times cannot be, and are corrected"
        }
        guard isLive else { return time }
        time = max(playOut.due(time, arrival: arrival), newest.map { $0.mediaTime.nextUp } ?? 0)
        if let factor = playOut.wrongFactor {
            mailbox.countRetimed()
            let times = (max(factor, 1 / factor) * 10).rounded() / 10
            let word = factor > 1 ? "fast" : "slow"
            timesDetail = "its clock runs \(times) times too \(word), so its pictures count as they come"
        }
        newest = (arrival, time)
        return time
    }

    /// Notes that the source left out pictures before the next one, and whether it now hands in pictures that it kept.
    package mutating func skip(_ frames: Int, isCatchingUp: Bool) {
        mailbox.count(.idle, frames: frames)
        nextFrame += frames
        skipped += frames
        mailbox.isCatchingUp.store(isCatchingUp, ordering: .relaxed)
    }

    /// Counts a picture that came damaged and cannot be shown.
    package mutating func countDamage() {
        mailbox.count(.corrupt)
        nextFrame += 1
        hasDamage = true
    }

    /// Waits for a picture's time. Where damaged ones leave a gap, the source counts as lost after `longestGap`.
    private mutating func wait(until due: ContinuousClock.Instant, _ stream: StreamDescription) -> Bool {
        if hasDamage, mailbox.isStreaming, ContinuousClock.now.duration(to: due) > longestGap {
            let text = "cannot decode a part of \(stream.name); continuing after it: copy or record it again."
            let failure = SourceFailure(reason: .undecodable, description: text)
            guard stop.wait(for: longestGap), mailbox.put(.lost(failure)) else { return false }
        }
        return stop.wait(for: ContinuousClock.now.duration(to: due))
    }
}
