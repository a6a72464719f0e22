/// Measures the height of each eye's opening relative to its open level, its usual height while the eye is open. The
/// height alone says little, because open eyes differ more between people than many eyes change when they close.
struct EyeOpenness: Sendable {
    /// The length of the window for the open level, in seconds: longer than a blink, short enough to follow head turns.
    static let levelWindow = 4.0
    /// The quantile of an eye's heights that is taken as its open level: above blinks, below eyes widened in surprise.
    static let levelShare = 0.7
    /// The minimum open level, in units of the outer eye corners' distance, for a face that appears with closed eyes.
    static let lowestLevel = 0.045
    /// The capacity of a window in samples: slightly more than `Thinning` lets through in `levelWindow`.
    static let capacity = Int(levelWindow * Thinning.rate) + 16

    /// The measurements of both eyes in one frame.
    struct Reading: Equatable, Sendable {
        /// The open level, which is the usual height of an open eye, in units of the outer eye corners' distance.
        var level: EachEye<Double>
        /// The height of the lids' opening, in units of the outer eye corners' distance.
        var height: EachEye<Double>
        /// The weight of each eye in means, in proportion to its squared width, because blinks are hardly seen in the
        /// far eye of a turned head. The two weights sum to 1.
        var weight: EachEye<Double>
        /// The height as a fraction of the open level: 1 is open, about 0 closed.
        var share: EachEye<Double> { EachEye(height.left / level.left, height.right / level.right) }
        /// Whether the eyes are open far enough for their irises to be seen.
        var areOpen: Bool { mean(share) > ClosedEyes.openShare }

        /// Returns the mean of the two eyes' values, weighted by `weight`.
        func mean(_ each: EachEye<Double>) -> Double { weight.left * each.left + weight.right * each.right }
    }

    private var levels = EachEye(both: SlidingQuantile(seconds: levelWindow, capacity: capacity))

    mutating func advance(_ lids: EachEye<FaceObservation.Lids>, at time: Double) -> Reading {
        levels.left.insert(lids.left.height, at: time)
        levels.right.insert(lids.right.height, at: time)
        let level = levels.map { max($0.quantile(Self.levelShare) ?? 0, Self.lowestLevel) }
        let squares = lids.map { $0.width * $0.width }
        let sum = squares.left + squares.right
        let weight = sum > 0 ? squares.map { $0 / sum } : EachEye(0.5, 0.5)
        return Reading(level: level, height: lids.map(\.height), weight: weight)
    }
}

/// A pair of values, one for each eye. Left and right are as seen in the picture.
struct EachEye<Value> {
    var left: Value
    var right: Value

    init(_ left: Value, _ right: Value) { (self.left, self.right) = (left, right) }
    /// Evaluates `value` once for each eye, so that the two values share no memory.
    init(both value: @autoclosure () -> Value) { self.init(value(), value()) }

    func map<Other>(_ transform: (Value) -> Other) -> EachEye<Other> {
        EachEye<Other>(transform(left), transform(right))
    }
}

extension EachEye: Sendable where Value: Sendable {}
extension EachEye: Equatable where Value: Equatable {}

/// Decides which eyes are closed, and reports it if they stay closed for longer than a blink.
struct ClosedEyes: Sendable {
    /// The fraction of its usual openness below which an eye counts as closed. Before the 131 blinks of the recorded
    /// landmarks, the eyes were open by 0.65 or more. In 2000 portraits (the odd half of GENKI-4K), closed eyes have at
    /// most 0.38. Of the open ones, 1 %, screwed up in the sun, have less than 0.4.
    static let closedShare = 0.4
    /// The fraction of its usual openness above which a closed eye counts as open again.
    static let openShare = 0.6
    /// The fraction of its usual openness that one eye must exceed for the other to count as the only closed one.
    private static let otherShare = 0.85

    private struct Eye: Sendable {
        /// The time at which the eye closed, and its open level before closed lids lowered the level; nil while open.
        var closed: (since: Double, level: Double)?
        var share = 1.0

        mutating func advance(height: Double, level: Double, at time: Double) {
            share = height / (closed?.level ?? level)
            if closed == nil {
                if share < ClosedEyes.closedShare { closed = (time, level) }
            } else if share > ClosedEyes.openShare {
                closed = nil
            }
        }
    }

    private var eyes = EachEye(Eye(), Eye())
    /// The eyes that were reported as closed, and the time at which they closed; nil for none.
    private var reported: (eyes: FaceEvent.Eyes, since: Double)?
    var isClosed: EachEye<Bool> { eyes.map { $0.closed != nil } }
    /// The openness of each eye in the latest frame, 0…1. That of a closed eye is relative to its level before closing.
    var openness: EachEye<Double> { eyes.map { min(max($0.share, 0), 1) } }

    /// If closed eyes have been reported, returns their event again with the duration up to `time`; otherwise nil.
    func ongoing(at time: Double) -> FaceEvent.Kind? {
        reported.map { .eyesClosed(eyes: $0.eyes, duration: time - $0.since) }
    }

    /// Ends the reported period of closed eyes and returns its end event; nil if none was reported.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        exchange(&reported, with: nil).map { .eyesOpen(eyes: $0.eyes, duration: max(0, time - $0.since)) }
    }

    /// Processes the next frame. Returns an event when closed eyes outlast a blink, and when such a period ends.
    mutating func advance(_ reading: EyeOpenness.Reading, canBeOneEye: Bool, at time: Double) -> FaceEvent.Kind? {
        eyes.left.advance(height: reading.height.left, level: reading.level.left, at: time)
        eyes.right.advance(height: reading.height.right, level: reading.level.right, at: time)
        guard let found = closure(canBeOneEye: canBeOneEye) else {
            // A reported closure lasts until both eyes are open.
            return isClosed == EachEye(false, false) ? end(at: time) : nil
        }
        guard reported == nil, time - found.since > FaceEvent.longestBlink else { return nil }
        reported = found
        return ongoing(at: time)
    }

    /// Restarts unreported periods of closed eyes at `time`, because the eyes cannot be seen at that time.
    mutating func interrupt(at time: Double) {
        eyes.left.closed?.since = time
        eyes.right.closed?.since = time
    }

    private func closure(canBeOneEye: Bool) -> (eyes: FaceEvent.Eyes, since: Double)? {
        switch (eyes.left.closed?.since, eyes.right.closed?.since) {
        case (let left?, let right?): (.both, max(left, right))
        case (let left?, nil) where canBeOneEye && eyes.right.share > Self.otherShare: (.left, left)
        case (nil, let right?) where canBeOneEye && eyes.left.share > Self.otherShare: (.right, right)
        default: nil
        }
    }
}
