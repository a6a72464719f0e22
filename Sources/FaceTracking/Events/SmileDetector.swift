/// Detects the beginning and the end of smiles by the mouth's smile level and the movement of the lips.
///
/// Part of the face's resting level is taken off. docs/accuracy.md says what each rule gives and how it was tuned.
struct SmileDetector: Sendable {
    /// A condition that begins a smile if it is true for a number of seconds.
    private struct Onset {
        var seconds: Double
        /// How far below `SmileSettings.level` the mean level may be for the smile to begin, if the lips are still.
        var less: Double
        /// Largest distance of the corners below the upper lip, in units: a dropped jaw lowers them, a smile does not.
        var mostCornerDrop: Double
        /// The least distance of the lips, in units.
        var leastOpening = 0.0
    }

    private static let clear = Onset(seconds: window, less: 0, mostCornerDrop: 0.09)
    /// The condition of a weaker smile that lasts. Bared teeth resemble it, but their corners are 0.06 to 0.09 low.
    private static let weak = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.05)
    /// The condition of a laugh with the mouth wide open: crying is shorter, shouts and surprise lower the corners
    /// more.
    private static let laugh = Onset(seconds: 2, less: 0.1, mostCornerDrop: 0.12, leastOpening: 0.2)
    /// The condition of a smile with which the face came: its level counts unreduced, as the resting level is its own.
    private static let arriving = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.09)
    /// The level from which on every frame is needed during talk, because only the lips' speed tells a smile from talk.
    private static let levelInTalk = 0.3
    /// The seconds that a clear smile must last during talk.
    private static let secondsInTalk = 0.3
    /// The limits of talk that bares the teeth: after `count` swings of `swing` within `window` seconds a smile must be
    /// `level` higher and last `seconds`.
    private static let restless = (seconds: 0.4, level: 0.2, swing: 0.5, count: 4, window: 4.0)
    /// The seconds over which the level is averaged.
    private static let window = 0.1
    /// The increase of the needed level for each unit by which the lips' opening changes per second, as in talk.
    private static let talkWeight = 0.15
    /// The seconds over which that change is averaged.
    private static let talkWindow = 0.4
    /// The difference by which the rise above the resting level may be less than `SmileSettings.level`: a face that
    /// cries or grins all the time does not begin a smile.
    private static let lessRise = 0.2
    /// The resting level above which the face is taken to have come with a smile.
    private static let highestRestingLevel = 0.5
    /// The observations after which that rise is required in full, half a second: a face may come with a smile.
    private static let riseTrust = 15.0
    /// The share of the resting level that is taken off all levels.
    private static let restingShare = 0.3
    /// The number of observations after which that share is taken off in full, about two seconds.
    private static let restingTrust = 60.0
    /// The quantile of the levels outside smiles that is the resting level.
    private static let restingQuantile = 0.2
    /// The share of its highest level below which a smile must stay for `FaceTracker.Options.smileMerge` to end.
    private static let endShare = 0.58

    private struct Sample: Sendable {
        var time: Double
        var mouth: FaceObservation.MouthShape
        /// The smile level with the resting level taken off.
        var level: Double
        /// The speed with which the lips' opening changed, in units per second.
        var speed: Double
    }

    private struct Smile: Sendable {
        var began: Double
        /// The time at which the smile was reported; nil before it has lasted for long enough.
        var reported: Double?
        /// The highest mean level of the smile.
        var peak: Double
        /// The time since which the level has been below `endShare` of the peak.
        var weakSince: Double?
    }

    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    private var lips = Swings(least: MouthDetector.smallestSwing, seconds: MouthDetector.talk.window)
    private var swings = Swings(least: restless.swing, seconds: restless.window)
    private var firstSeen: Double?
    /// The latest levels outside smiles: about ten seconds.
    private var resting = SlidingQuantile(capacity: 300)
    private var smile: Smile?
    /// The smile level, 0…1; nil if the mouth cannot be seen.
    private(set) var amount: Double?
    /// Whether a smile has begun and not ended; nil if the mouth cannot be seen.
    var isSmiling: Bool? { amount == nil ? nil : ongoing != nil }
    /// Whether a smile is about to begin or to end, so that the next frame's mouth must be measured.
    private(set) var isDeciding = false
    var ongoing: FaceEvent.Kind? { smile?.reported == nil ? nil : .smile }

    /// Takes the mouth of the next frame in which the face was seen.
    /// - Returns: A smile that began or ended.
    mutating func advance(_ mouth: FaceObservation.MouthShape, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        let restingLevel = resting.quantile(Self.restingQuantile) ?? 0
        let trust = min(1, Double(resting.count) / Self.restingTrust)
        let level = mouth.smileLevel - Self.restingShare * trust * restingLevel
        append(mouth, level, at: time)
        isDeciding = false
        guard context.isVisible else {
            samples.forget()
            amount = nil
            return nil
        }
        amount = min(max(level, 0), 1)
        let wanted = context.options.smile
        guard smile == nil else {
            let ended = endIfOver(at: time, wanted, merge: context.options.smileMerge)
            isDeciding = smile?.weakSince != nil
            return ended ?? report(at: time, after: wanted.hold)
        }
        resting.insert(mouth.smileLevel)
        let rise = mouth.smileLevel - min(1, Double(resting.count) / Self.riseTrust) * restingLevel
        let mayBegin = rise > wanted.level - Self.lessRise
        let isNear = level > wanted.level - Self.weak.less && mouth.cornerDrop < Self.laugh.mostCornerDrop
        let isInTalk = mouth.smileLevel > Self.levelInTalk && isTalking(at: time)
        isDeciding = isInTalk || (mayBegin && isNear)
        let isRising = mayBegin && isBeginning(above: wanted.level, at: time)
        let isHigh = restingLevel > Self.highestRestingLevel
        let hasArrived = isHigh && hasLasted(Self.arriving, wanted.level, by: \.mouth.smileLevel)
        guard isRising || hasArrived else { return nil }
        let first = max(samples.available.lowerBound, firstSample(within: Self.window))
        smile = Smile(began: time, peak: mean(from: first, \.level))
        return report(at: time, after: wanted.hold)
    }

    /// Counts the length of a smile only from a time on, that of the face's enter.
    mutating func beginVisit(at time: Double) {
        if smile?.reported != nil { smile?.reported = time }
    }

    /// Ends the smile under way; nil unless it was reported.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        guard let smile = exchange(&smile, with: nil), let reported = smile.reported else { return nil }
        return .smileEnd(duration: max(0, time - reported), peak: min(smile.peak, 1))
    }

    /// Reports the smile under way once it has lasted for long enough.
    private mutating func report(at time: Double, after hold: Double) -> FaceEvent.Kind? {
        guard let began = smile?.began, smile?.reported == nil, time - began >= hold - Track.slack else { return nil }
        smile?.reported = time
        return .smile
    }

    private mutating func append(_ mouth: FaceObservation.MouthShape, _ level: Double, at time: Double) {
        if !Track.bridges(from: samples.last?.time, to: time) {
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

    /// Whether the lips turn at the rate at which talk begins, even before its whole window was seen.
    private func isTalking(at time: Double) -> Bool {
        let seen = min(max(time - (firstSeen ?? time), 1), MouthDetector.talk.window)
        return Double(lips.count) >= Double(MouthDetector.talk.begin) * seen / MouthDetector.talk.window
    }

    private func isBeginning(above level: Double, at time: Double) -> Bool {
        var clear = Self.clear
        var least = level
        if isTalking(at: time) {
            let isRestless = swings.count >= Self.restless.count
            clear.seconds = isRestless ? Self.restless.seconds : Self.secondsInTalk
            if isRestless { least += Self.restless.level }
        }
        return [clear, Self.weak, Self.laugh].contains { hasLasted($0, least) }
    }

    private func hasLasted(_ onset: Onset, _ level: Double, by value: (Sample) -> Double = \.level) -> Bool {
        guard let first = firstSample(lasting: onset.seconds) else { return false }
        let talk = mean(from: firstSample(within: Self.talkWindow), \.speed)
        return mean(from: first, value) > level - onset.less + Self.talkWeight * talk
            && mean(from: first, \.mouth.cornerDrop) < onset.mostCornerDrop
            && mean(from: first, \.mouth.opening) >= onset.leastOpening
    }

    private mutating func endIfOver(at time: Double, _ wanted: SmileSettings, merge: Double) -> FaceEvent.Kind? {
        guard var smile, let first = firstSample(lasting: Self.window) else { return nil }
        let level = mean(from: first, \.level)
        smile.peak = max(smile.peak, level)
        smile.weakSince = level < Self.endShare * smile.peak ? smile.weakSince ?? time : nil
        self.smile = smile
        let hasWeakened = smile.weakSince.map { time - $0 >= merge - Track.slack } ?? false
        guard level < wanted.endLevel || hasWeakened else { return nil }
        samples.forget()
        return end(at: time)
    }

    /// The first sample of the last `seconds`; nil if the mouth has not been seen for all of them.
    private func firstSample(lasting seconds: Double) -> Int? {
        let oldest = samples.available.lowerBound
        let first = firstSample(within: seconds)
        if first > oldest { return first }
        return samples[samples.end - 1].time - samples[oldest].time >= seconds - Track.slack ? oldest : nil
    }

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
