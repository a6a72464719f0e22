package import System

/// A flag that tells a source to end, and that its threads can wait for.
package typealias StopSignal = Monitor<Bool>

extension Monitor where Value == Bool {
    package var isSet: Bool { read(\.self) }

    package func set() { update { $0 = true } }

    /// Blocks for a duration, or until the signal is set.
    /// - Returns: Whether the duration passed without the signal.
    package func wait(for duration: Duration) -> Bool { wait(for: duration) { $0 ? () : nil } == nil }
}

/// Delivers a source's pictures: gives each a stamp, waits until it is due, and puts it into the mailbox.
package struct PictureDelivery {
    /// How a source's pictures get their media times, and when they are delivered.
    package enum Timing: Equatable {
        /// Pictures have timestamps, but each is delivered as soon as it is read.
        case file
        /// Each picture is delivered when its timestamp is due.
        case paced
        /// Pictures are live. With `hasTimes`, the sender's timestamps space them, otherwise their arrival times count.
        case live(hasTimes: Bool)
    }

    /// The number of pictures delivered so far.
    package private(set) var delivered = 0
    package let mailbox: FrameMailbox
    private let stop: StopSignal
    private let longestGap: Duration
    private var timing = Timing.file
    private var timeline = PresentationTimeline(rate: nil)
    /// The schedule of the pictures of a live source whose pictures carry timestamps.
    private var playOut = PlayOut(longestDelay: 0, rate: nil)
    /// The arrival time and the media time of the newest picture, in seconds since the first picture.
    private var newest: (arrival: Double, mediaTime: Double)?
    /// What is wrong with the pictures' timestamps, in words for people; nil while nothing is.
    private(set) var timesDetail: String?
    private var nextFrame = 0
    private var skipped = 0
    private var started: (clock: ContinuousClock.Instant, wall: Timestamp)?
    /// The delay of a paced source's pictures behind their timestamps, which grows when the source falls behind.
    private var delay = Duration.zero
    /// Whether damaged pictures came after the newest undamaged one.
    private var hasDamage = false
    /// The maximum lateness of a picture. Beyond it, this picture and all later ones become due later. The limit is
    /// below the age at which frames are dropped; otherwise, a slow decoder would make all frames too old.
    private static let longestDelay = Duration.milliseconds(500)

    /// Makes a delivery that `stop` ends. After a `longestGap` of damaged pictures, a `.paced` source is reported lost.
    package init(into mailbox: FrameMailbox, until stop: StopSignal, longestGap: Duration) {
        (self.mailbox, self.stop, self.longestGap) = (mailbox, stop, longestGap)
    }

    /// Begins a round: a pass through a clip, or a connection. Its first picture follows the newest one, whatever the
    /// timestamp. With `isConnection`, its media time is at least the time since the source's first picture. `rate` is
    /// in pictures per second, nil if unknown. `longestDelay` is the maximum delay, in seconds, for spacing bursts.
    package mutating func begin(
        _ timing: Timing,
        rate: Double?,
        isConnection: Bool,
        longestDelay: Double = 0
    ) {
        self.timing = timing
        timeline.rate = rate
        if case .live = timing {
            timeline.longestStep = PresentationTimeline.longestStepOfLive
            timesDetail = nil
        }
        playOut = PlayOut(longestDelay: longestDelay, rate: rate)
        let elapsed = started.map { $0.clock.duration(to: .now) / .seconds(1) }
        timeline.beginRound(notBefore: isConnection ? elapsed ?? 0 : 0)
    }

    /// Stamps a picture, and delivers it when it is due. A changed description of the stream is delivered before it.
    /// `presentation` is the source's timestamp in seconds, nil if unknown. `age` is the time since the capture.
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
            // Held-back pictures may be late. Otherwise the decoder is too slow, and would never be on time.
            if lateness > Self.longestDelay, !mailbox.isCatchingUp.load(ordering: .relaxed) {
                playOut.postpone(by: lateness / .seconds(1))
            }
            frame.captured = due
            _ = stop.wait(for: .zero - lateness)
        } else if timing == .paced {
            // However late a picture is read, its capture time is the time at which it was due, as with a camera.
            let lateness = start.clock.advanced(by: .seconds(mediaTime) + delay).duration(to: frame.captured)
            if lateness > Self.longestDelay { delay += lateness }
            frame.captured = start.clock.advanced(by: .seconds(mediaTime) + delay)
            guard wait(until: frame.captured, stream) else { return false }
        }
        hasDamage = false
        guard !stop.isSet else { return false }
        // While a live source runs, the wall clock may be set, and a sender's clock may drift.
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

    /// Returns the next picture's media time in seconds: from its corrected timestamp and, if live, its arrival time.
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
        let wasWrong = playOut.wrongFactor != nil
        time = max(playOut.due(time, arrival: arrival), newest.map { $0.mediaTime.nextUp } ?? 0)
        if let factor = playOut.wrongFactor {
            mailbox.countRetimed()
            let times = (max(factor, 1 / factor) * 10).rounded() / 10
            let word = factor > 1 ? "fast" : "slow"
            timesDetail = "its clock runs \(times) times too \(word), so its pictures count as they come"
        } else if wasWrong {
            timesDetail = nil
        }
        newest = (arrival, time)
        return time
    }

    /// Notes that the source skipped `frames` pictures, and whether it now delivers pictures that it had held back.
    package mutating func skip(_ frames: Int, isCatchingUp: Bool) {
        mailbox.count(.idle, frames: frames)
        nextFrame += frames
        skipped += frames
        mailbox.isCatchingUp.store(isCatchingUp, ordering: .relaxed)
    }

    /// Counts a damaged picture, which is not delivered.
    package mutating func countDamage() {
        mailbox.count(.corrupt)
        nextFrame += 1
        hasDamage = true
    }

    /// Waits until a picture is due. If damaged pictures left a gap, reports the source as lost after `longestGap`.
    private mutating func wait(until due: ContinuousClock.Instant, _ stream: StreamDescription) -> Bool {
        if hasDamage, mailbox.isStreaming, ContinuousClock.now.duration(to: due) > longestGap {
            let text = "cannot decode a part of \(stream.name); continuing after it: copy or record it again."
            let failure = SourceFailure(reason: .undecodable, description: text)
            guard stop.wait(for: longestGap), mailbox.put(.lost(failure)) else { return false }
        }
        return stop.wait(for: ContinuousClock.now.duration(to: due))
    }
}
