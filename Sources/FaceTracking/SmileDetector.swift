import FaceMetadata

/// Detects the beginning and the end of smiles by the mouth's smile level and the movement of the lips.
///
/// Part of the level that is usual for this face is taken off. What each rule and constant contributes, and on what it was
/// tuned, is in docs/accuracy.md.
struct SmileDetector: Sendable {
    /// What must be held, and for how long, to begin a smile.
    private struct Onset {
        var seconds: Double
        /// By how much less than `SmileSettings.level` the mean level may be while the lips are still.
        var less: Double
        /// How far the corners may lie below the upper lip, in units: a dropped jaw takes them along, a smile lifts them.
        var mostCornerDrop: Double
        /// How far the lips must be apart, in units.
        var leastOpening = 0.0
    }

    /// A clear smile.
    private static let clear = Onset(seconds: window, less: 0, mostCornerDrop: 0.09)
    /// A weaker one that lasts, which bared teeth resemble: their corners are 0.06 to 0.09 low.
    private static let weak = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.05)
    /// A laugh with the mouth wide open: crying holds such a mouth for less long, shouts and surprise take the corners farther down.
    private static let laugh = Onset(seconds: 2, less: 0.1, mostCornerDrop: 0.12, leastOpening: 0.2)
    /// A smile that the face came in with: by the level as it is, since the resting level is that of the smile itself.
    private static let arriving = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.09)
    /// From which level on every frame is needed while the lips move as in speech: their speed is what separates the two.
    private static let levelInTalk = 0.3
    /// For how many seconds a clear smile must be held while they do.
    private static let secondsInTalk = 0.3
    /// For how many seconds, and how much higher each level must be, if the level goes up and down by this much so many times
    /// within this time meanwhile: some people's talk bares their teeth.
    private static let restless = (seconds: 0.4, level: 0.2, swing: 0.5, count: 4, window: 4.0)
    /// Over how many seconds the level is averaged.
    private static let window = 0.1
    /// How much higher the level must be for each unit that the lips' opening moves per second: talk does not count.
    private static let talkWeight = 0.15
    /// Over how many seconds that movement is averaged.
    private static let talkWindow = 0.4
    /// By how much less than `SmileSettings.level` it must be above the face's own resting level: a face that cries or grins all the
    /// time does not begin one.
    private static let lessRise = 0.2
    /// A resting level above this one is that of a smile which the face came in with.
    private static let highestRest = 0.5
    /// After how many observations that is fully required, since a face may come in with a smile: about half a second.
    private static let riseTrust = 15.0
    /// The share of the resting level that is taken off all levels.
    private static let restShare = 0.3
    /// After how many observations that is done in full: about two seconds.
    private static let restTrust = 60.0
    /// The quantile of the levels outside smiles that is the resting level.
    private static let restQuantile = 0.2
    /// A smile also ends when it stays below this share of its highest level for `FaceTracker.Options.smileMerge`.
    private static let endShare = 0.58

    private struct Sample: TimedSample {
        var time: Double
        var mouth: FaceObservation.MouthShape
        /// The smile level with the resting level taken off.
        var level: Double
        /// How fast the lips' opening changed, in units per second.
        var speed: Double
    }

    private struct Smile: Sendable {
        var began: Double
        /// When it was reported; nil before it has lasted for long enough.
        var reported: Double?
        /// The highest mean level.
        var peak: Double
        /// Since when the level has been below its share of the peak.
        var weakSince: Double?
    }

    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    private var lips = Swings(least: MouthDetector.smallestSwing, seconds: MouthDetector.talk.window)
    private var swings = Swings(least: restless.swing, seconds: restless.window)
    private var firstSeen: Double?
    /// The latest levels outside smiles: about ten seconds.
    private var resting = SlidingQuantile(capacity: 300)
    private var smile: Smile?
    /// How much the face smiles, 0…1; nil if the mouth cannot be seen.
    private(set) var amount: Double?
    /// Whether a smile has begun and not ended; nil if the mouth cannot be seen.
    var isSmiling: Bool? { amount.map { _ in ongoing != nil } }
    /// Whether a smile is about to begin or to end: the next frame's mouth must not be that of an earlier one.
    private(set) var isDeciding = false
    /// The smile that was reported and has not ended; nil for none.
    var ongoing: FaceEvent.Kind? { smile?.reported.map { _ in .smile } }

    /// Takes the mouth of the next frame in which the face was seen.
    /// - Returns: A smile that began or ended.
    mutating func advance(_ mouth: FaceObservation.MouthShape, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        let rest = resting.quantile(Self.restQuantile) ?? 0
        let level = mouth.smileLevel - Self.restShare * min(1, Double(resting.count) / Self.restTrust) * rest
        append(mouth, level, at: time)
        isDeciding = false
        guard context.isVisible else {
            samples.forget()
            amount = nil
            return nil
        }
        let isInTalk = mouth.smileLevel > Self.levelInTalk && isTalking(at: time)
        amount = min(max(level, 0), 1)
        let wanted = context.options.smile
        guard smile == nil else {
            let ended = endIfOver(at: time, wanted, merge: context.options.smileMerge)
            isDeciding = isInTalk || smile?.weakSince != nil
            return ended ?? report(at: time, after: wanted.hold)
        }
        resting.insert(mouth.smileLevel)
        let rise = mouth.smileLevel - min(1, Double(resting.count) / Self.riseTrust) * rest
        let mayBegin = rise > wanted.level - Self.lessRise
        let isNear = level > wanted.level - Self.weak.less && mouth.cornerDrop < Self.laugh.mostCornerDrop
        isDeciding = isInTalk || (mayBegin && isNear)
        let isRising = mayBegin && isBeginning(above: wanted.level, at: time)
        let hasArrived = rest > Self.highestRest && isHeld(Self.arriving, wanted.level, by: \.mouth.smileLevel)
        guard isRising || hasArrived else { return nil }
        let first = max(samples.held.lowerBound, firstSample(within: Self.window))
        smile = Smile(began: time, peak: mean(from: first, \.level))
        return report(at: time, after: wanted.hold)
    }

    /// Counts the length of a smile from there on: the face has entered.
    mutating func beginVisit(at time: Double) {
        if smile?.reported != nil { smile?.reported = time }
    }

    /// Ends the smile under way, if there is one: what happened.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        guard let smile = exchange(&smile, with: nil), let reported = smile.reported else { return nil }
        return .smileEnd(duration: max(0, time - reported), peak: min(smile.peak, 1))
    }

    /// Reports the smile under way once, when it has lasted for long enough.
    private mutating func report(at time: Double, after hold: Double) -> FaceEvent.Kind? {
        guard let began = smile?.began, smile?.reported == nil, time - began >= hold - Track.slack else { return nil }
        smile?.reported = time
        return .smile
    }

    private mutating func append(_ mouth: FaceObservation.MouthShape, _ level: Double, at time: Double) {
        if samples.end == 0 || samples.isBroken(at: time) {
            samples.forget()
            lips.begin(with: mouth.opening)
            swings.begin(with: mouth.smileLevel)
        }
        let speed = samples.last.map { abs(mouth.opening - $0.mouth.opening) / max(time - $0.time, 0.001) } ?? 0
        samples.append(Sample(time: time, mouth: mouth, level: level, speed: speed))
        firstSeen = firstSeen ?? time
        lips.add(mouth.opening, at: time)
        swings.add(mean(from: firstSample(within: Self.window), \.mouth.smileLevel), at: time)
    }

    /// Whether the lips turn at the rate at which talk begins, which is clear before its whole window was seen.
    private func isTalking(at time: Double) -> Bool {
        let seen = min(max(time - (firstSeen ?? time), 1), MouthDetector.talk.window)
        return Double(lips.count) >= Double(MouthDetector.talk.begin) * seen / MouthDetector.talk.window
    }

    private func isBeginning(above level: Double, at time: Double) -> Bool {
        var (clear, level) = (Self.clear, level)
        if isTalking(at: time) {
            let isRestless = swings.count >= Self.restless.count
            clear.seconds = isRestless ? Self.restless.seconds : Self.secondsInTalk
            if isRestless { level += Self.restless.level }
        }
        return [clear, Self.weak, Self.laugh].contains { isHeld($0, level) }
    }

    private func isHeld(_ onset: Onset, _ level: Double, by value: (Sample) -> Double = \.level) -> Bool {
        guard let first = firstHeld(for: onset.seconds) else { return false }
        let talk = mean(from: firstSample(within: Self.talkWindow), \.speed)
        return mean(from: first, value) > level - onset.less + Self.talkWeight * talk
            && mean(from: first, \.mouth.cornerDrop) < onset.mostCornerDrop
            && mean(from: first, \.mouth.opening) >= onset.leastOpening
    }

    /// Ends the smile under way if it is over: what happened.
    private mutating func endIfOver(at time: Double, _ wanted: SmileSettings, merge: Double) -> FaceEvent.Kind? {
        guard var smile, let first = firstHeld(for: Self.window) else { return nil }
        let level = mean(from: first, \.level)
        smile.peak = max(smile.peak, level)
        smile.weakSince = level < Self.endShare * smile.peak ? smile.weakSince ?? time : nil
        self.smile = smile
        let hasWeakened = smile.weakSince.map { time - $0 >= merge - Track.slack } ?? false
        guard level < wanted.endLevel || hasWeakened else { return nil }
        samples.forget()
        return end(at: time)
    }

    /// The first sample of the last `seconds`; nil if the mouth has not been seen for so long.
    private func firstHeld(for seconds: Double) -> Int? {
        let (oldest, first) = (samples.held.lowerBound, firstSample(within: seconds))
        if first > oldest { return first }
        return samples[samples.end - 1].time - samples[oldest].time >= seconds - Track.slack ? oldest : nil
    }

    /// The first sample of the last `seconds`.
    private func firstSample(within seconds: Double) -> Int {
        let earliest = samples[samples.end - 1].time - seconds - Track.slack
        var index = samples.end - 1
        while index > samples.first, samples[index - 1].time >= earliest { index -= 1 }
        return index
    }

    private func mean(from first: Int, _ value: (Sample) -> Double) -> Double {
        (first..<samples.end).reduce(0) { $0 + value(samples[$1]) } / Double(samples.end - first)
    }
}
