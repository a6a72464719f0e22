import FaceMetadata

/// Detects what people do on purpose with eyes and head, to switch something by it.
///
/// Talking people blink, nod and shake their heads all the time: nothing counts while the lips move or, for a sign of the eyes,
/// the head does. How often one is seen where none was meant is in docs/accuracy.md.
struct SignDetector: Sendable {
    /// For how many seconds eyes are closed in a long blink, and one eye in a wink: blinks are shorter, sleep is longer.
    static let longBlink = 0.6...2.0
    private static let wink = 0.25...2.0
    /// How long each part of a double blink may last, and the pause between them, in seconds.
    static let shortBlink = 0.4
    static let longestPause = 0.3
    /// The mean openness of closed eyes at most: lids that are lowered to look down are higher.
    static let closedShare = 0.3
    /// The mean openness of the other eye in a wink at least, and how far it lies above the closed one's: cheeks lift both lids.
    private static let winking = (other: 0.65, difference: 0.4)
    /// How much the lips' distance may change, in units, and for how many seconds before the sign that counts.
    private static let lips = (most: 0.06, seconds: 1.0)
    /// Degrees that the head may move by in a sign of the eyes.
    private static let mostHeadMotion = 8.0
    /// A nod or a shake of the head is three swings of so many degrees within so many seconds, after a rest.
    private static let swings = (count: 3, degrees: 10.0, seconds: 1.5)
    /// The rest before the first swing, in seconds before this is as large as needed, which includes the end of its way.
    private static let rest = 0.2...0.6

    private struct Sample: TimedSample {
        var time: Double
        var yaw: Double
        var pitch: Double
        var opening: Double
    }

    /// A stretch in which at least one eye is closed.
    private struct Closure: Sendable {
        let start: Double
        var frames = 0
        /// Whether each eye was closed in any of the frames, and both were.
        var wasClosed = EachEye(false, false)
        var wereBoth = false
        /// The sums of the shares.
        var openness = EachEye(0.0, 0.0)

        func mean(_ eye: KeyPath<EachEye<Double>, Double>) -> Double { openness[keyPath: eye] / Double(frames) }
    }

    private var samples = History<Sample>(capacity: EyeOpenness.capacity)
    private var closure: Closure?
    /// The last blink, if it may be the first half of a double one.
    private var lastBlink: (start: Double, end: Double)?

    /// Takes the next frame in which the face was seen, and its eyes unless they cannot be judged; the sign that was completed.
    mutating func advance(eyes: EyeDetector.Seen?, _ context: FrameContext) -> FaceEvent.Kind? {
        let time = context.time
        if samples.isBroken(at: time) {
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

    /// How much a value changed from a time on; nil if it has not been seen for so long.
    private func range(_ value: KeyPath<Sample, Double>, from begin: Double, to end: Double = .infinity) -> Double? {
        var (low, high) = (Double.infinity, -Double.infinity)
        for index in samples.held.reversed() where samples[index].time <= end {
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

    /// The sign of one eye that was closed alone, with the picture's left eye as the person's right one; nil if the other one
    /// was not open enough.
    private func wink(_ closure: Closure) -> FaceEvent.Sign? {
        let isLeft = closure.wasClosed.left
        guard !isLeft || !closure.wasClosed.right else { return nil }
        let (left, right) = (closure.mean(\.left), closure.mean(\.right))
        let (closed, other) = isLeft ? (left, right) : (right, left)
        guard other >= Self.winking.other, other - closed >= Self.winking.difference else { return nil }
        return isLeft ? .winkRight : .winkLeft
    }

    // MARK: Head

    private typealias Axis = KeyPath<Sample, Double>

    private func headSign(at time: Double) -> FaceEvent.Sign? {
        if hasSwung(\.pitch, more: \.yaw, at: time) { return .nod }
        return hasSwung(\.yaw, more: \.pitch, at: time) ? .shake : nil
    }

    /// Whether the head has swung to and fro along one axis, twice as far as along the other one, until now.
    private func hasSwung(_ axis: Axis, more other: Axis, at time: Double) -> Bool {
        let least = Self.swings.degrees
        // From the newest sample back: the highest and the lowest one since the last turn, and which way it goes from there.
        var (high, low) = (-Double.infinity, Double.infinity)
        var (turns, direction) = (0, 0)
        for index in samples.held.reversed() {
            let sample = samples[index]
            guard time - sample.time <= Self.swings.seconds else { return false }
            let value = sample[keyPath: axis]
            (high, low) = (max(high, value), min(low, value))
            if direction >= 0, high - value >= least {
                (direction, low) = (-1, value)
                turns += 1
            } else if direction <= 0, value - low >= least {
                (direction, high) = (1, value)
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
