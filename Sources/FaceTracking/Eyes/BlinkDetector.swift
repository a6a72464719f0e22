/// Detects the blinks of one face by the openness and the pixels of both eyes. A blink is a valley of the openness: a
/// fall that exceeds the signal's noise, then a rise by half as much, or by less if the lids stop rising earlier. A
/// tenth of a second after this rise was noticed, a logistic model of the valley's shape decides.
struct BlinkDetector: Sendable {
    /// The rate of analysed frames per second below which a blink can happen unseen between two frames. A webcam that
    /// delivers 15 in dim light stays above: when it loses one frame, its measured rate is 13.6.
    static let minimumRate = 13.5

    /// The measurements of both eyes in one frame.
    struct Reading: Sendable {
        var openness: EyeOpenness.Reading
        /// The signals of the eyes' pixels; nil if the pixels were not compared.
        var appearance: EachEye<EyeAppearance.Signal>?
        /// Whether a fall of only one eye's openness can be a wink.
        var canWink: Bool
    }

    /// A blink: its eyes, the seconds from half-closed lids to the first frame with open eyes, and that frame's stamp.
    typealias Blink = (eyes: FaceEvent.Eyes, duration: Double, opened: FrameStamp)

    /// The minimum distance of the outer eye corners, in pixels. Below it an eye has too few pixels.
    private static let smallestEyeDistance = 16.0
    /// The maximum yaw to either side, in degrees. Beyond it one eye is hidden and the other is seen from the side.
    private static let yawLimit = 52.0
    /// The minimum fall of the openness in a blink, as a fraction of the eyes' usual openness.
    private static let smallestDepth = 0.12
    /// The maximum duration of the fall that begins a blink, in seconds.
    private static let longestFall = 0.45
    /// The seconds after which a fall without a sufficient rise is given up.
    private static let longestValley = 1.2
    /// The delay, in seconds, between the lids' rise and the decision whether this was a blink.
    private static let delay = 0.1

    struct Sample: Sendable {
        var stamp: FrameStamp
        var time: Double { stamp.mediaTime }
        var reading: Reading
        /// The weighted mean openness of both eyes, as a fraction of their usual openness.
        var share: Double
        /// The noise of `share`: 1.5 times the median distance of `share` from its short-term median.
        var noise: Double
    }

    /// A fall of the openness: the numbers of its highest sample and of its lowest one so far.
    typealias Fall = (peak: Int, lowest: Int)

    struct Valley: Sendable {
        var fall: Fall
        /// The numbers of the first and the last sample whose openness is below the middle of the fall.
        var closed: ClosedRange<Int>
        /// The number of the sample in which the lids have risen far enough to end the valley.
        var risen: Int
        /// The times at which the openness crossed the middle of the fall, down and up, interpolated between samples.
        var halfway: ClosedRange<Double>

        /// Returns the numbers of the samples below the middle of the fall, with one more on either side.
        func around(in samples: History<Sample>) -> ClosedRange<Int> {
            max(samples.first, closed.lowerBound - 1)...min(risen, closed.upperBound + 1)
        }
    }

    private(set) var samples = History<Sample>(capacity: EyeOpenness.capacity)
    /// The latest values of `share`, from whose median the deviation of a new value is measured.
    private var shortTerm = SlidingQuantile(seconds: 0.28, capacity: 64)
    private var deviations = SlidingQuantile(seconds: EyeOpenness.levelWindow, capacity: EyeOpenness.capacity)
    /// The weight of the eye at the picture's left, smoothed, so that its noise does not get into `share`.
    private var leftWeight: Double?
    private var fall: Fall?
    private var valley: Valley?

    mutating func advance(_ reading: Reading, _ context: FrameContext) -> Blink? {
        append(reading, at: context.stamp)
        let now = samples.end - 1
        guard context.eyeDistance >= Self.smallestEyeDistance, abs(context.yaw) <= Self.yawLimit else {
            interrupt()
            return nil
        }
        var blink: Blink?
        if let valley, context.time >= samples[valley.risen].time + Self.delay - 0.001 {
            blink = context.seesBlinks ? BlinkDecision(valley, samples).blink : nil
            self.valley = nil
        }
        if let fall {
            follow(fall, now)
        } else if let peak = peak(before: now), samples[peak].share - samples[now].share >= threshold(at: now) {
            fall = (peak, now)
        }
        return blink
    }

    /// Forgets the current valley, because the eyes could not be seen for a while.
    mutating func interrupt() {
        fall = nil
        valley = nil
        samples.forget()
    }

    private mutating func append(_ reading: Reading, at stamp: FrameStamp) {
        let time = stamp.mediaTime
        if !Track.bridges(from: samples.last?.time, to: time) { interrupt() }
        let weight = reading.openness.weight.left
        let left = leftWeight.map { $0 + 0.2 * (weight - $0) } ?? weight
        leftWeight = left
        let share = left * reading.openness.share.left + (1 - left) * reading.openness.share.right
        shortTerm.insert(share, at: time)
        deviations.insert(abs(share - (shortTerm.quantile(0.5) ?? share)), at: time)
        let typical = deviations.count >= 5 ? 1.5 * (deviations.quantile(0.5) ?? 0) : 0.05
        samples.append(Sample(stamp: stamp, reading: reading, share: share, noise: max(0.01, typical)))
    }

    // MARK: The valley

    /// Returns how deep a valley of the openness must be at a sample to count. The depth grows with the noise.
    private func threshold(at index: Int) -> Double { max(Self.smallestDepth, 2 * samples[index].noise) }

    /// Returns the highest recent sample, from which a fall to `now` may have begun; nil if `now` is the highest.
    private func peak(before now: Int) -> Int? {
        let earliest = samples[now].time - Self.longestFall
        let recent = samples.available.reversed().prefix { samples[$0].time >= earliest }.reversed()
        // Of equally high samples, this is the first.
        let best = recent.max { samples[$0].share < samples[$1].share }
        return best == now ? nil : best
    }

    /// Follows a fall of the openness to its lowest sample. Ends it when the lids have risen, or after too long a time.
    private mutating func follow(_ current: Fall, _ now: Int) {
        var current = current
        let sample = samples[now]
        guard current.peak > samples.first else { return end(at: now) }
        if sample.share < samples[current.lowest].share {
            current.lowest = now
            if let later = peak(before: now), later > current.peak {
                let depth = samples[later].share - sample.share
                let enough = max(0.7 * (samples[current.peak].share - sample.share), threshold(at: now))
                if depth >= enough { current.peak = later }
            }
        }
        fall = current
        let depth = samples[current.peak].share - samples[current.lowest].share
        let rise = sample.share - samples[current.lowest].share
        // Many blinks end in a squint: lids that rose by a third and then stopped count as risen.
        let hasStopped =
            now > current.lowest + 1 && rise >= 0.3 * depth
            && sample.share - samples[now - 1].share <= 0.03 + 0.1 * depth
        if rise >= 0.5 * threshold(at: current.peak), rise >= 0.5 * depth || hasStopped {
            valley = makeValley(current, now)
            end(at: now)
        } else if sample.time - samples[current.peak].time > Self.longestValley {
            end(at: now)
        }
    }

    private mutating func end(at now: Int) {
        fall = nil
        samples.forget(before: now)
    }

    private func makeValley(_ fall: Fall, _ now: Int) -> Valley {
        let half = (samples[fall.peak].share + samples[fall.lowest].share) / 2
        var first = fall.lowest
        var last = fall.lowest
        while first > fall.peak, samples[first - 1].share < half { first -= 1 }
        while last < now, samples[last + 1].share < half { last += 1 }
        let closing = first > samples.first ? crossing(of: half, inside: first, outside: first - 1) : nil
        let opening = last < now ? crossing(of: half, inside: last, outside: last + 1) : nil
        let halfway = (closing ?? samples[first].time)...(opening ?? samples[last].time)
        return Valley(fall: fall, closed: first...last, risen: now, halfway: halfway)
    }

    /// Returns when the openness crossed `half`; nil if sample `outside` the blink is not higher than `inside`.
    private func crossing(of half: Double, inside: Int, outside: Int) -> Double? {
        let low = samples[inside]
        let high = samples[outside]
        guard high.share > low.share else { return nil }
        return low.time + (high.time - low.time) * (half - low.share) / (high.share - low.share)
    }
}
