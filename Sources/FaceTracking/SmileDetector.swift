import FaceMetadata

/// Detects the beginning of a smile by the shape of the mouth.
///
/// Five measures make a level: 0 is an average mouth at rest, 1 an average smile; part of what is usual for this face is
/// taken off. A smile begins when the mean level of a tenth of a second is high. Talking moves the lips all the time, so
/// the faster they move, the higher the level must be; and a jaw that drops raises the level, but not the mouth's corners.
struct SmileDetector: Sendable {
    /// The levels and times of a smile.
    struct Parameters: Hashable, Sendable {
        /// The mean level above which a smile begins while the lips are still.
        var startLevel = 0.75
        /// How much is added to it for each unit that the lips' opening moves per second.
        var talkWeight = 0.2
        /// Over how many seconds that movement is averaged.
        var talkWindow = 0.4
        /// The level below which a smile ends.
        var endLevel = 0.4
        /// A smile also ends when it has fallen below this share of its highest level.
        var endShare = 0.5
        /// Over how many seconds the level is averaged for the beginning.
        var hold = 0.1
        /// Over how many seconds the level is averaged for the end.
        var release = 0.15
        /// The pause after a smile in which no other begins, in seconds.
        var cooldown = 0.5
        /// The share of the face's own resting level that is taken off.
        var neutralShare = 0.6
        /// After how many observations the resting level is fully trusted: about two seconds.
        var neutralTrust = 60
        /// Levels count no higher than this in the means, so that one frame cannot make a smile.
        var highestLevel = 1.2
        /// Quiet lips need this much less, if the level has risen from what it was.
        var quietDiscount = 0.15
        /// Lips that move less than this, in units per second, are quiet.
        var quiet = 0.4
        /// By how much the level must have risen, against the 0.3 quantile of the three seconds before, while the lips are
        /// closed.
        var closedRise = 0.4
        /// The same while they are open, as in talk.
        ///
        /// From 0.6 on nothing is lost on the recorded landmarks, and none is false. Of 140 portraits with a smile that were
        /// made into clips with a resting mouth, 115 are found without this, 124 with it.
        var openRise = 0.6
        /// How far the corners may then lie below the upper lip, in eye distances: bared teeth have 0.06 to 0.09, three of
        /// four smiling portraits less than 0.04.
        var openCornerDrop = 0.04
        /// Lips that are closer than this are closed.
        var closedOpening = 0.08
        /// How far the corners of a smiling mouth may lie below its upper lip, in eye distances.
        ///
        /// A jaw that drops raises the level, but takes the corners along: surprise and shouts reach 0.13 to 0.24. Of 736
        /// smiling portraits (the odd half of GENKI-4K), with open mouths too, none is lost by this limit.
        var mostCornerDrop = 0.10
        /// How much higher the level must be for each eye distance beyond that.
        var cornerDropWeight = 8.0
    }

    /// What a frame brought.
    struct Output: Hashable, Sendable {
        /// Whether a smile began.
        var began = false
        /// Whether the face smiles; nil if that is unknown.
        var smiling: Bool?
        /// How much it smiles, 0…1; nil if that is unknown.
        var smile: Double?
    }

    private struct Sample: Sendable {
        var time: Double
        /// Before the resting level is taken off.
        var level: Double
        /// What is taken off.
        var neutral: Double
        var opening: Double
        /// How far the corners lie below the upper lip, in eye distances.
        var cornerDrop: Double
        /// How fast the lips' opening changed, in units per second.
        var speed: Double
    }

    /// A longer gap between frames, in seconds, breaks what was held.
    private static let longestGap = 0.15
    /// Frames of exactly the wanted distance must not fall out of a window by rounding.
    private static let slack = 1e-6

    private let parameters: Parameters
    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    /// The latest levels of the face that does not smile: about ten seconds.
    private var resting = SlidingQuantile(capacity: 300)
    /// The levels from three seconds to three tenths of a second ago.
    private var past = SlidingQuantile(capacity: EyeOpenness.capacity)
    private var pastRange = 0..<0
    /// Nothing before this sample counts.
    private var start = 0
    private var firstTime: Double?
    private var lastEnd: Double?
    /// The highest mean level of the smile under way.
    private var peak = 0.0
    /// Whether a smile has begun and not ended.
    private(set) var isSmiling = false

    init(_ parameters: Parameters = Parameters()) { self.parameters = parameters }

    /// Takes the mouth of the next frame in which the face was seen, at a time in seconds.
    ///
    /// - Parameters:
    ///   - mouth: The mouth's shape.
    ///   - isVisible: Whether the face is large and frontal enough to recognise a smile.
    ///   - time: Seconds.
    /// - Returns: Whether a smile began, and how much the face smiles.
    mutating func advance(_ mouth: FaceObservation.MouthShape, isVisible: Bool, at time: Double) -> Output {
        let level = mouth.smileLevel
        let neutral = neutralLevel
        append(mouth, level, isVisible ? neutral : 0, at: time)
        guard isVisible else {
            start = samples.end
            return Output()
        }
        if !isSmiling { resting.insert(min(max(level, -1), 2)) }
        var output = Output()
        output.began = cross(at: time)
        let first = firstTime ?? time
        firstTime = first
        // Nothing was held yet for a face that has just come: it is taken as it looks, so that a smile it came with does
        // not make a second message.
        let excess = level - neutral - (isSmiling ? 0 : jawExcess)
        output.smiling = isSmiling || (time - first < parameters.hold && excess > parameters.startLevel)
        output.smile = min(max(excess, 0), 1)
        return output
    }

    /// Forgets what was held: the mouth could not be seen for a while.
    mutating func interrupt() { start = samples.end }

    private var neutralLevel: Double {
        let usual = min(max(resting.quantile(0.3) ?? 0, -0.5), 0.8)
        let trust = min(1, Double(resting.count) / Double(parameters.neutralTrust))
        return parameters.neutralShare * trust * usual
    }

    private mutating func append(
        _ mouth: FaceObservation.MouthShape,
        _ level: Double,
        _ neutral: Double,
        at time: Double
    ) {
        var speed = 0.0
        if samples.end > 0 {
            let last = samples[samples.end - 1]
            if time - last.time > Self.longestGap || time < last.time { interrupt() }
            speed = abs(mouth.opening - last.opening) / max(time - last.time, 0.001)
        }
        samples.append(
            Sample(
                time: time,
                level: level,
                neutral: neutral,
                opening: mouth.opening,
                cornerDrop: mouth.cornerDrop,
                speed: speed
            )
        )
        // The window of the past follows at its distance.
        let oldest = max(firstSample(within: 3, after: pastRange.lowerBound), samples.first)
        let newest = firstSample(within: 0.3, after: pastRange.upperBound)
        for index in max(pastRange.upperBound, samples.first)..<max(newest, samples.first) {
            past.insert(samples[index].level)
        }
        pastRange = min(oldest, newest)..<newest
        while past.count > pastRange.count { past.removeOldest() }
    }

    /// The first sample of the last `seconds`, looked for from a sample on.
    private func firstSample(within seconds: Double, after index: Int) -> Int {
        let earliest = samples[samples.end - 1].time - seconds - Self.slack
        var index = max(index, samples.first)
        while index < samples.end - 1, samples[index].time < earliest { index += 1 }
        return index
    }

    /// The first sample of the last `seconds`.
    private func firstSample(within seconds: Double) -> Int {
        let earliest = samples[samples.end - 1].time - seconds - Self.slack
        var index = samples.end - 1
        while index > samples.first, samples[index - 1].time >= earliest { index -= 1 }
        return index
    }

    private func mean(from first: Int, _ value: (Sample) -> Double) -> Double {
        var sum = 0.0
        for index in first..<samples.end { sum += value(samples[index]) }
        return sum / Double(samples.end - first)
    }

    private var cornerDrop: Double { mean(from: firstSample(within: parameters.hold), \.cornerDrop) }

    /// How much of the level is owed to a dropped jaw.
    private var jawExcess: Double { parameters.cornerDropWeight * max(0, cornerDrop - parameters.mostCornerDrop) }

    /// The level above which a smile begins now.
    private func startLevel(at time: Double) -> Double {
        let talk = mean(from: firstSample(within: parameters.talkWindow), \.speed)
        let level = parameters.startLevel + parameters.talkWeight * talk + jawExcess
        guard pastRange.count >= 2,
            samples[pastRange.upperBound - 1].time - samples[pastRange.lowerBound].time >= 0.8,
            talk < parameters.quiet,
            let usual = past.quantile(0.3)
        else { return level }
        let isClosed = mean(from: firstSample(within: 0.12), \.opening) < parameters.closedOpening
        let rise = samples[samples.end - 1].level - usual
        let isSmile =
            isClosed
            ? rise >= parameters.closedRise
            : rise >= parameters.openRise && cornerDrop < parameters.openCornerDrop
        return isSmile ? level - parameters.quietDiscount : level
    }

    /// Moves between smiling and not; true if a smile began.
    private mutating func cross(at time: Double) -> Bool {
        let window = isSmiling ? parameters.release : parameters.hold
        let first = max(start, firstSample(within: window))
        let level = mean(from: first) { min($0.level, parameters.highestLevel) - $0.neutral }
        let isHeld = first > start || time - samples[max(start, samples.first)].time >= window - Self.slack
        if isSmiling {
            peak = max(peak, level)
            if isHeld, level < max(parameters.endLevel, parameters.endShare * peak) {
                isSmiling = false
                lastEnd = time
            }
            return false
        }
        if let lastEnd, time - lastEnd < parameters.cooldown, time >= lastEnd { return false }
        guard isHeld, level > startLevel(at: time) else { return false }
        isSmiling = true
        peak = level
        return true
    }
}
