/// Detects the beginning and the end of smiles by the mouth's smile level and the movement of the lips. Levels are
/// reduced by part of the face's resting level, which is its level outside smiles. docs/accuracy.md explains the rules.
struct SmileDetector: Sendable {
    /// A condition that begins a smile if it is true for `seconds`.
    private struct Onset {
        var seconds: Double
        /// How far below `SmileSettings.level` the mean level may be, if the lips are still.
        var less: Double
        /// The maximum drop of the mouth's corners below the upper lip, in units of the outer eye corners' distance.
        var mostCornerDrop: Double
        /// The minimum opening of the lips, in units of the outer eye corners' distance.
        var leastOpening = 0.0
    }

    private static let clear = Onset(seconds: window, less: 0, mostCornerDrop: 0.09)
    /// The condition for a weaker smile that lasts. Bared teeth look similar, but their corners drop by 0.06 to 0.09.
    private static let weak = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.05)
    /// The condition for a laugh with an open mouth. Crying is shorter. Shouts and surprise lower the corners more.
    private static let laugh = Onset(seconds: 2, less: 0.1, mostCornerDrop: 0.12, leastOpening: 0.2)
    /// The condition for a face that comes smiling. Its level is not reduced, as its resting level is a smile's.
    private static let arriving = Onset(seconds: 0.8, less: 0.1, mostCornerDrop: 0.09)
    /// The smile level above which a talking mouth is measured in every frame. Only lip speed tells talk from a smile.
    private static let levelInTalk = 0.3
    /// How long a smile of at least `SmileSettings.level` must last during talk, in seconds.
    private static let secondsInTalk = 0.3
    /// The limits for talk that bares the teeth: the smile level reverses `count` times by at least `swing` in `window`
    /// seconds. The level needed for a smile then rises by `level`, and a `clear` smile must last `seconds`.
    private static let restless = (seconds: 0.4, level: 0.2, swing: 0.5, count: 4, window: 4.0)
    /// The time over which the smile level is averaged, in seconds.
    private static let window = 0.1
    /// The factor by which the mean lip speed is multiplied before it is added to the level needed for a smile, so that
    /// talking does not count as a smile.
    private static let talkWeight = 0.15
    /// The time over which the lips' speed is averaged, in seconds.
    private static let talkWindow = 0.4
    /// How far below `SmileSettings.level` the rise above the resting level may be when a smile begins. The level of a
    /// face that cries or grins all the time does not rise enough.
    private static let lessRise = 0.2
    /// The resting level above which the face is taken to have appeared with a smile.
    private static let highestRestingLevel = 0.5
    /// The maximum number of smile levels per second that are recorded to find the resting level.
    private static let restingRate = 30.0
    /// The number of smile levels recorded for a new face (half a second) below which a smaller rise above the resting
    /// level begins a smile. The face may have come into the picture smiling, so that the resting level is too high.
    private static let riseTrust = 0.5 * restingRate
    /// The fraction of the resting level that is subtracted from every smile level.
    private static let restingShare = 0.3
    /// The number of recorded levels (two seconds) below which less than `restingShare` is subtracted.
    private static let restingTrust = 2 * restingRate
    /// The quantile of the levels outside smiles that is taken as the resting level.
    private static let restingQuantile = 0.2
    /// The fraction of its peak level below which a smile ends, once it has stayed there for `Options.smileMerge`.
    private static let endShare = 0.58

    private struct Sample: Sendable {
        var time: Double
        var mouth: FaceObservation.MouthShape
        /// The smile level, reduced by part of the resting level.
        var level: Double
        /// The speed at which the lips' opening changes, in units of the outer eye corners' distance per second.
        var speed: Double
    }

    private struct Smile: Sendable {
        var began: Double
        /// The time at which the smile was reported; nil before it has lasted long enough.
        var reported: Double?
        var peak: Double
        /// The time since which the level has been below `endShare` of the peak; nil while it is above.
        var weakSince: Double?
    }

    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    private var lips = Swings(least: MouthDetector.smallestSwing, seconds: MouthDetector.talk.window)
    private var swings = Swings(least: restless.swing, seconds: restless.window)
    private var firstSeen: Double?
    private var restingThinning = Thinning(rate: restingRate)
    /// The last 300 smile levels outside smiles, however old, recorded at most `restingRate` times per second.
    private var resting = SlidingQuantile(capacity: 300)
    private var smile: Smile?
    /// The time at which the face's visit began, with its `enter` event. No smile is reported as longer than the visit.
    var visitBegan = -Double.infinity
    /// The smile level, reduced by part of the resting level and clipped to 0…1; nil if the mouth cannot be seen.
    private(set) var amount: Double?
    /// Whether the face smiles; nil if the mouth cannot be seen.
    var isSmiling: Bool? { amount == nil ? nil : ongoing != nil }
    /// Whether a smile may begin or end soon, so that the mouth must be measured in the next frame.
    private(set) var isDeciding = false
    var ongoing: FaceEvent.Kind? { smile?.reported == nil ? nil : .smile }

    /// Processes the mouth in the next frame in which the face was seen; returns a smile's beginning or end, or nil.
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
        if restingThinning.takes(time) { resting.insert(mouth.smileLevel) }
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

    /// Ends the current smile and returns its event; nil if no smile was reported.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        guard let smile = exchange(&smile, with: nil), let reported = smile.reported else { return nil }
        return .smileEnd(duration: max(0, time - max(reported, visitBegan)), peak: min(smile.peak, 1))
    }

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

    /// Whether the lips move as often as in talk. A mouth seen for less than `talk.window` needs fewer movements.
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

    /// Returns the number of the first sample of the last `seconds`; nil if the mouth was not seen for all of them.
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
