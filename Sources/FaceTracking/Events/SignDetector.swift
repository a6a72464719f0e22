/// Detects signs: deliberate blinks, winks, nods and shakes of the head, by which people control something.
/// Talking people blink, nod and shake their heads all the time, so no sign counts while the lips move, and no sign of
/// the eyes while the head moves. docs/accuracy.md says how often unintended signs are detected.
struct SignDetector: Sendable {
    /// The range of a long blink's duration, in seconds: other blinks are shorter, sleep is longer.
    static let longBlink = 0.6...2.0
    private static let wink = 0.25...2.0
    /// The maximum duration of each half of a double blink, in seconds.
    static let shortBlink = 0.4
    /// The maximum pause between the halves of a double blink, in seconds.
    static let longestPause = 0.3
    /// The maximum mean openness of an eye in a deliberate blink, where 1 is open. Eyes that look down are wider open.
    static let closedShare = 0.3
    /// The thresholds of a wink: the minimum mean openness of the open eye, and how much less the closed eye must have.
    private static let winking = (other: 0.65, difference: 0.4)
    /// The maximum change of the lips' opening, in units of the outer eye corners' distance, for a blink, wink, nod or
    /// shake to count as deliberate. For blinks and winks, the change in the `seconds` before is included.
    private static let lips = (most: 0.06, seconds: 1.0)
    /// The maximum movement of the head during a deliberate blink or wink, in degrees of yaw and of pitch.
    private static let mostHeadMotion = 8.0
    /// The minimum motion of a nod or a shake: `count` swings of at least `degrees` each within `seconds`.
    private static let swings = (count: 3, degrees: 10.0, seconds: 1.5)
    /// The period, in seconds before the first swing, in which the head must be still.
    private static let rest = 0.2...0.6

    private struct Sample: Sendable {
        var time: Double
        var yaw: Double
        var pitch: Double
        var opening: Double
    }

    /// A period in which at least one eye is closed.
    private struct Closure: Sendable {
        let start: Double
        var frames = 0
        /// Whether the left and whether the right eye was closed in at least one frame of this period.
        var wasClosed = EachEye(false, false)
        /// Whether both eyes were closed in the same frame.
        var wereBoth = false
        /// The sum of each eye's openness over all frames.
        var openness = EachEye(0.0, 0.0)

        func mean(_ eye: KeyPath<EachEye<Double>, Double>) -> Double { openness[keyPath: eye] / Double(frames) }
    }

    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    private var closure: Closure?
    /// The last blink, if it may be the first half of a double blink.
    private var lastBlink: (start: Double, end: Double)?

    /// Processes the next frame in which the face was seen; `eyes` is nil if unknown. Returns a completed sign or nil.
    mutating func advance(eyes: EyeDetector.Seen?, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        if !Track.bridges(from: samples.last?.time, to: time) {
            closure = nil
            lastBlink = nil
            samples.forget()
        }
        let observation = context.observation
        // Without a mesh the pitch is unknown.
        guard let yaw = observation.pose.yaw, let pitch = observation.pose.pitch else { return nil }
        samples.append(Sample(time: time, yaw: yaw, pitch: pitch, opening: observation.mouthShape.opening))
        guard let sign = eyeSign(eyes, canWink: context.canWink, at: time) ?? headSign(at: time) else { return nil }
        samples.forget()
        switch (sign, context.options.isMirrored) {
        case (.winkLeft, true): return .sign(.winkRight)
        case (.winkRight, true): return .sign(.winkLeft)
        default: return .sign(sign)
        }
    }

    /// Returns a value's maximum minus its minimum between two times; nil if there are no samples back to `begin`.
    private func range(_ value: KeyPath<Sample, Double>, from begin: Double, to end: Double = .infinity) -> Double? {
        var low = Double.infinity
        var high = -Double.infinity
        for index in samples.available.reversed() where samples[index].time <= end {
            guard samples[index].time >= begin - Track.slack else { return high - low }
            low = min(low, samples[index][keyPath: value])
            high = max(high, samples[index][keyPath: value])
        }
        return nil
    }

    private func areLipsAtRest(from begin: Double) -> Bool {
        range(\.opening, from: begin).map { $0 <= Self.lips.most } ?? false
    }

    // MARK: Eyes

    private mutating func eyeSign(_ eyes: EyeDetector.Seen?, canWink: Bool, at time: Double) -> FaceEvent.Sign? {
        guard let (isClosed, openness) = eyes else {
            closure = nil
            return nil
        }
        if isClosed.left || isClosed.right {
            var current = closure ?? Closure(start: time)
            current.frames += 1
            if isClosed.left { current.wasClosed.left = true }
            if isClosed.right { current.wasClosed.right = true }
            if isClosed.left, isClosed.right { current.wereBoth = true }
            current.openness.left += openness.left
            current.openness.right += openness.right
            closure = current
            return nil
        }
        guard let over = exchange(&closure, with: nil) else { return nil }
        let before = exchange(&lastBlink, with: nil).flatMap { over.start - $0.end <= Self.longestPause ? $0 : nil }
        guard areLipsAtRest(from: over.start - Self.lips.seconds),
            let yaw = range(\.yaw, from: before?.start ?? over.start),
            let pitch = range(\.pitch, from: before?.start ?? over.start),
            max(yaw, pitch) <= Self.mostHeadMotion
        else { return nil }
        let duration = time - over.start
        guard over.wereBoth else { return canWink && Self.wink.contains(duration) ? wink(over) : nil }
        guard over.mean(\.left) <= Self.closedShare, over.mean(\.right) <= Self.closedShare else { return nil }
        if Self.longBlink.contains(duration) { return .longBlink }
        guard duration <= Self.shortBlink else { return nil }
        if before != nil { return .doubleBlink }
        lastBlink = (over.start, time)
        return nil
    }

    /// Returns the sign of a wink, named after the person's own eye, so that the eye at the picture's left gives
    /// `winkRight`. Returns nil if the closure is not a wink.
    private func wink(_ closure: Closure) -> FaceEvent.Sign? {
        let isLeft = closure.wasClosed.left
        guard !isLeft || !closure.wasClosed.right else { return nil }
        let closed = closure.mean(isLeft ? \.left : \.right)
        let other = closure.mean(isLeft ? \.right : \.left)
        guard other >= Self.winking.other, other - closed >= Self.winking.difference else { return nil }
        return isLeft ? .winkRight : .winkLeft
    }

    // MARK: Head

    private typealias Axis = KeyPath<Sample, Double>

    private func headSign(at time: Double) -> FaceEvent.Sign? {
        if hasSwung(\.pitch, more: \.yaw, at: time) { return .nod }
        return hasSwung(\.yaw, more: \.pitch, at: time) ? .shake : nil
    }

    /// Whether the head, after being still, just swung to and fro along `axis` and at most half as far along `other`.
    private func hasSwung(_ axis: Axis, more other: Axis, at time: Double) -> Bool {
        let least = Self.swings.degrees
        // From the newest sample back: the highest and the lowest one since the last turn, and the direction.
        var high = -Double.infinity
        var low = Double.infinity
        var turns = 0
        var direction = 0
        for index in samples.available.reversed() {
            let sample = samples[index]
            guard time - sample.time <= Self.swings.seconds else { return false }
            let value = sample[keyPath: axis]
            high = max(high, value)
            low = min(low, value)
            if direction >= 0, high - value >= least {
                direction = -1
                low = value
                turns += 1
            } else if direction <= 0, value - low >= least {
                direction = 1
                high = value
                turns += 1
            }
            guard turns == Self.swings.count else { continue }
            let begin = sample.time
            guard areLipsAtRest(from: begin - Self.rest.upperBound),
                let moved = range(axis, from: begin), let aside = range(other, from: begin),
                let before = range(axis, from: begin - Self.rest.upperBound, to: begin - Self.rest.lowerBound)
            else { return false }
            return aside <= moved / 2 && before <= least / 2
        }
        return false
    }
}
