/// Measures each eye against its own open level, because eyes differ more from person to person than many of them move.
struct EyeOpenness: Sendable {
    /// Seconds over which the open level is taken: it follows a face that turns or squints, and outlasts a blink.
    static let levelWindow = 4.0
    /// Quantile that is the open level: above the half-open frames of blinks and glances, below those of surprise.
    static let levelShare = 0.7
    /// Lowest open level, as a share of the outer eye distance, for eyes that are closed when the face comes.
    static let lowestLevel = 0.045
    /// The samples that `Thinning` takes within the window, with some to spare.
    static let capacity = Int(levelWindow * Thinning.rate) + 16

    /// What a frame shows.
    struct Reading: Equatable, Sendable {
        /// The open level in units of the outer eye distance.
        var level: EachEye<Double>
        /// The lids' height in units of the outer eye distance.
        var height: EachEye<Double>
        /// The weight of each eye, by its projected width squared, because the far eye of a turned head hides blinks.
        var weight: EachEye<Double>
        /// The lids' height as a share of the open level: 1 open, about 0 closed.
        var share: EachEye<Double> { EachEye(height.left / level.left, height.right / level.right) }
        /// Whether the eyes are open so far that their irises can be seen.
        var areOpen: Bool { mean(share) > ClosedEyes.openShare }

        /// The weighted mean of a value of both eyes.
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

/// A value for each eye; left and right are the picture's.
struct EachEye<Value> {
    var left: Value
    var right: Value

    init(_ left: Value, _ right: Value) { (self.left, self.right) = (left, right) }
    /// Makes a value for each eye by evaluating `value` twice, so that two objects do not share memory.
    init(both value: @autoclosure () -> Value) { self.init(value(), value()) }

    func map<Other>(_ transform: (Value) -> Other) -> EachEye<Other> {
        EachEye<Other>(transform(left), transform(right))
    }
}

extension EachEye: Sendable where Value: Sendable {}
extension EachEye: Equatable where Value: Equatable {}

/// Decides which eyes are closed, and reports closures that last longer than a blink.
struct ClosedEyes: Sendable {
    /// The share of the open level below which an eye is closed.
    ///
    /// Before the 131 blinks of the recorded landmarks the eyes were open by 0.65 or more. In 2000 portraits (the odd
    /// half of GENKI-4K) closed eyes have 0.38 at most; 1 % of open ones, screwed up in the sun, have less than 0.4.
    static let closedShare = 0.4
    /// The share of the open level above which a closed eye is open again.
    static let openShare = 0.6
    /// The share above which the other eye must be for a closed eye to count as closed alone.
    private static let otherShare = 0.85

    private struct Eye: Sendable {
        /// Time at which the eye closed, and the open level before that: in time, closed eyes would become the level.
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

        mutating func interrupt(at time: Double) { if let level = closed?.level { closed = (time, level) } }
    }

    private var eyes = EachEye(Eye(), Eye())
    /// The eyes that were reported closed, and when they closed.
    private var reported: (eyes: FaceEvent.Eyes, since: Double)?
    var isClosed: EachEye<Bool> { eyes.map { $0.closed != nil } }
    /// The openness of each eye in the latest frame, 0…1, as a share of its open level before it closed.
    var openness: EachEye<Double> { eyes.map { min(max($0.share, 0), 1) } }

    /// The closed eyes that were reported, at a time in seconds; nil for none.
    func ongoing(at time: Double) -> FaceEvent.Kind? {
        reported.map { .eyesClosed(eyes: $0.eyes, duration: time - $0.since) }
    }

    /// Ends the closure that was reported; nil if there is none.
    mutating func end(at time: Double) -> FaceEvent.Kind? {
        exchange(&reported, with: nil).map { .eyesOpen(eyes: $0.eyes, duration: max(0, time - $0.since)) }
    }

    /// Takes the next frame.
    /// - Returns: The beginning of a closure that is longer than a blink, or its end.
    mutating func advance(_ reading: EyeOpenness.Reading, canBeOneEye: Bool, at time: Double) -> FaceEvent.Kind? {
        eyes.left.advance(height: reading.height.left, level: reading.level.left, at: time)
        eyes.right.advance(height: reading.height.right, level: reading.level.right, at: time)
        guard let found = closure(canBeOneEye: canBeOneEye) else {
            // A closure lasts until both eyes are open.
            return isClosed == EachEye(false, false) ? end(at: time) : nil
        }
        guard reported == nil, time - found.since > FaceEvent.longestBlink else { return nil }
        reported = found
        return ongoing(at: time)
    }

    /// Begins to measure closures anew, because the eyes could not be seen. Reported ones are not reported again.
    mutating func interrupt(at time: Double) {
        eyes.left.interrupt(at: time)
        eyes.right.interrupt(at: time)
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
