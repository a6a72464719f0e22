import FaceMetadata

/// Detects the beginning and the end of smiles by the mouth's smile level and the movement of the lips.
///
/// Part of the level that is usual for this face is taken off. What each rule and constant contributes, and on what it was
/// tuned, is in docs/accuracy.md.
struct SmileDetector: Sendable {
    /// The levels and times of a smile.
    struct Parameters: Hashable, Sendable {
        /// The mean level above which a smile begins while the lips are still.
        var startLevel = 0.7
        /// How much is added to it for each unit that the lips' opening moves per second, so that talk does not count.
        var talkWeight = 0.15
        /// Over how many seconds that movement is averaged.
        var talkWindow = 0.4
        /// How far the corners may lie below the upper lip at the beginning, in units: a dropped jaw takes them along, a
        /// smile lifts them.
        var mostCornerDrop = 0.09
        /// Over how many seconds the level is averaged for the beginning.
        var hold = 0.1
        /// Over how many seconds the level is averaged for the end.
        var release = 0.15
        /// The level below which a smile ends at once.
        var endLevel = 0.4
        /// A smile also ends when it stays below this share of its highest level for `FaceTracker.Parameters.smileMerge`.
        var endShare = 0.5
        /// The share of the face's own resting level that is taken off.
        var restShare = 0.3
        /// The quantile of the levels outside smiles that is the resting level.
        var restQuantile = 0.2
        /// After how many observations it is fully trusted: about two seconds.
        var restTrust = 60
    }

    /// What a frame brought.
    struct Output: Hashable, Sendable {
        /// Whether a smile began.
        var began = false
        /// The smile that ended.
        var ended: FaceEvent.Kind?
        /// Whether a smile has begun and not ended; nil if the mouth cannot be seen.
        var smiling: Bool?
        /// How much the face smiles, 0…1; nil if that is unknown.
        var smile: Double?
    }

    private struct Sample: Sendable {
        var time: Double
        /// With the resting level taken off.
        var level: Double
        var opening: Double
        var cornerDrop: Double
        /// How fast the lips' opening changed, in units per second.
        var speed: Double
    }

    /// A smile that has begun and not ended.
    private struct Smile: Sendable {
        var began: Double
        /// The highest mean level.
        var peak: Double
        /// Since when the level has been below its share of the peak.
        var weakSince: Double?
    }

    /// A longer gap between frames, in seconds, breaks what was held.
    private static let longestGap = 0.15
    /// Frames of exactly the wanted distance must not fall out of a window by rounding.
    private static let slack = 1e-6

    private let parameters: Parameters
    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    /// The latest levels outside smiles: about ten seconds.
    private var resting = SlidingQuantile(capacity: 300)
    /// Nothing before this sample counts.
    private var start = 0
    private var smile: Smile?

    init(_ parameters: Parameters = Parameters()) { self.parameters = parameters }

    /// Whether a smile has begun and not ended.
    var isSmiling: Bool { smile != nil }

    /// Takes the mouth of the next frame in which the face was seen, at a time in seconds.
    ///
    /// - Parameters:
    ///   - mouth: The mouth's shape.
    ///   - isVisible: Whether the face is large and frontal enough to recognise a smile.
    ///   - time: Seconds.
    ///   - merge: For how many seconds a smile may weaken without ending.
    /// - Returns: Whether a smile began or ended, and how much the face smiles.
    mutating func advance(
        _ mouth: FaceObservation.MouthShape,
        isVisible: Bool,
        at time: Double,
        merge: Double
    ) -> Output {
        let level = append(mouth, at: time)
        guard isVisible else {
            start = samples.end
            return Output()
        }
        var output = Output(smile: min(max(level, 0), 1))
        if smile == nil {
            resting.insert(mouth.smileLevel)
            if let mean = heldLevel(parameters.hold), canBegin(at: mean) {
                smile = Smile(began: time, peak: mean)
                output.began = true
            }
        } else if let mean = heldLevel(parameters.release), isOver(at: mean, time, merge) {
            output.ended = end(at: time)
        }
        output.smiling = isSmiling
        return output
    }

    /// Ends the smile under way, if there is one: what happened.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        defer { smile = nil }
        return smile.map { .smileEnd(duration: max(0, time - $0.began), peak: min($0.peak, 1)) }
    }

    /// - Returns: The level with the resting level taken off.
    private mutating func append(_ mouth: FaceObservation.MouthShape, at time: Double) -> Double {
        var speed = 0.0
        if samples.end > 0 {
            let last = samples[samples.end - 1]
            if time - last.time > Self.longestGap || time < last.time { start = samples.end }
            speed = abs(mouth.opening - last.opening) / max(time - last.time, 0.001)
        }
        let trust = min(1, Double(resting.count) / Double(parameters.restTrust))
        let rest = trust * (resting.quantile(parameters.restQuantile) ?? 0)
        let level = mouth.smileLevel - parameters.restShare * rest
        samples.append(
            Sample(time: time, level: level, opening: mouth.opening, cornerDrop: mouth.cornerDrop, speed: speed)
        )
        return level
    }

    /// The mean level of the last `seconds`; nil if the mouth has not been seen for so long.
    private func heldLevel(_ seconds: Double) -> Double? {
        let first = max(start, firstSample(within: seconds))
        let oldest = samples[max(start, samples.first)].time
        let isHeld = first > start || samples[samples.end - 1].time - oldest >= seconds - Self.slack
        return isHeld ? mean(from: first, \.level) : nil
    }

    private func canBegin(at level: Double) -> Bool {
        let talk = mean(from: firstSample(within: parameters.talkWindow), \.speed)
        return level > parameters.startLevel + parameters.talkWeight * talk
            && mean(from: firstSample(within: parameters.hold), \.cornerDrop) < parameters.mostCornerDrop
    }

    /// Whether the smile under way ends with this level.
    private mutating func isOver(at level: Double, _ time: Double, _ merge: Double) -> Bool {
        guard var smile else { return false }
        smile.peak = max(smile.peak, level)
        let isWeak = level < parameters.endShare * smile.peak
        smile.weakSince = isWeak ? smile.weakSince ?? time : nil
        self.smile = smile
        return level < parameters.endLevel || smile.weakSince.map { time - $0 >= merge } ?? false
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
}
