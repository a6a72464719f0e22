import FaceMetadata

/// Tells the beginning of a smile from the mouth's width and the lift of its corners.
///
/// Both are scaled so that 0 is an average mouth at rest and 1 an average smile, and part of what is usual for this face is
/// taken off. A smile begins above a high level held for a moment and ends below a low one; talking widens or lifts, but
/// seldom both and not for long.
struct SmileDetector {
    /// The levels and times of a smile.
    struct Parameters: Hashable, Sendable {
        /// The mean width and lift of resting and of smiling mouths: GENKI-4K, attention mesh, 3978 portraits.
        var restingWidth = 0.55
        var smilingWidth = 0.70
        var restingLift = -0.008
        var smilingLift = 0.050
        /// How much the width counts against the lift.
        var widthShare = 0.5
        /// The level above which a smile begins.
        ///
        /// Without a resting level, 74 % of the smiling and 1 % of the other portraits of GENKI-4K lie above 0.7 (493
        /// portraits turned by less than 35°); above 0.5 it would be 88 % and 2 %.
        var startLevel = 0.7
        /// The level below which it ends.
        var endLevel = 0.35
        /// A smile also ends when it has fallen below this share of its highest level.
        var endShare = 0.5
        /// How long the level must stay above `startLevel`, in seconds.
        var hold = 0.2
        /// How long it must stay below `endLevel`, in seconds.
        var release = 0.3
        /// The pause after a smile in which no other begins, in seconds.
        var cooldown = 1.0
        /// The share of the face's own resting level that is taken off.
        var neutralShare = 0.6
        /// After how many observations the resting level is fully trusted: about three seconds.
        var neutralTrust = 90
        /// How many observations the resting level is taken from: about ten seconds.
        var neutralWindow = 300
        /// Beyond this yaw, in degrees, the mouth is too foreshortened to tell.
        var yawLimit = 35.0
    }

    /// What a frame brought.
    struct Output: Hashable, Sendable {
        /// Whether a smile began.
        var began = false
        /// Whether the face smiles; nil if it cannot be told.
        var smiling: Bool?
        /// How much it smiles, 0…1; nil if it cannot be told.
        var smile: Double?
    }

    private let parameters: Parameters
    private var neutral: RunningQuantile
    /// Whether a smile has begun and not ended.
    private(set) var isSmiling = false
    private var firstTime: Double?
    /// Since when the level has been on the other side of the threshold.
    private var crossing: Double?
    private var lastEnd: Double?
    /// The highest level of the smile under way.
    private var peak = 0.0

    init(_ parameters: Parameters = Parameters()) {
        self.parameters = parameters
        neutral = RunningQuantile(0.3, ofLatest: parameters.neutralWindow, in: -1...2)
    }

    /// Takes the next frame's mouth, in shares of the outer eye distance, at a time in seconds.
    mutating func advance(width: Double, lift: Double, yaw: Double, at time: Double) -> Output {
        guard abs(yaw) <= parameters.yawLimit, width.isFinite, lift.isFinite else {
            crossing = nil
            return Output()
        }
        let raw = level(width: width, lift: lift)
        let trust = min(1, Double(neutral.count) / Double(parameters.neutralTrust))
        let resting = min(max(neutral.value ?? 0, -0.5), 0.8)
        let level = raw - parameters.neutralShare * trust * resting
        if !isSmiling { neutral.insert(raw) }
        var output = Output()
        output.began = cross(level, at: time)
        let first = firstTime ?? time
        firstTime = first
        // Nothing was held yet for a face that has just come: it is told as it looks, so that a smile it came with does
        // not make a second message.
        output.smiling = isSmiling || (time - first < parameters.hold && level > parameters.startLevel)
        output.smile = min(max(level, 0), 1)
        return output
    }

    /// Forgets since when a threshold has been crossed: the mouth could not be seen for a while.
    mutating func interrupt() { crossing = nil }

    private func level(width: Double, lift: Double) -> Double {
        let wide = (width - parameters.restingWidth) / (parameters.smilingWidth - parameters.restingWidth)
        let lifted = (lift - parameters.restingLift) / (parameters.smilingLift - parameters.restingLift)
        return parameters.widthShare * wide + (1 - parameters.widthShare) * lifted
    }

    /// Moves between smiling and not; true if a smile began.
    private mutating func cross(_ level: Double, at time: Double) -> Bool {
        peak = isSmiling ? max(peak, level) : 0
        let end = max(parameters.endLevel, parameters.endShare * peak)
        let isBeyond = isSmiling ? level < end : level > parameters.startLevel
        guard isBeyond else {
            crossing = nil
            return false
        }
        let since = crossing ?? time
        crossing = since
        guard time - since >= (isSmiling ? parameters.release : parameters.hold) else { return false }
        if !isSmiling, let lastEnd, time - lastEnd < parameters.cooldown { return false }
        isSmiling.toggle()
        crossing = nil
        if !isSmiling { lastEnd = time }
        return isSmiling
    }
}
