/// Plans when to show the pictures of a live stream. They are spaced by the sender's timestamps, with the smallest
/// delay at which pictures that arrive in bursts are still in time.
///
/// A picture's transit is its arrival time minus its timestamp. It contains the unknown difference between the clocks.
/// A picture whose transit is longer than planned is shown on arrival, and the plan shifts by the difference. Once all
/// transits of the last half minute are shorter, the delay shrinks slowly. So the plan also follows a drifting clock.
///
/// The timestamps of a clock that runs several times too fast or too slow are ignored: pictures are shown on arrival.
struct PlayOut {
    /// The maximum delay, in seconds, beyond the shortest transit (arrival time minus timestamp).
    let longestDelay: Double
    /// The rate that the stream states, in pictures per second; nil if unknown.
    let rate: Double?
    /// The speed of the sender's clock relative to this machine's; nil unless it is too wrong to use the timestamps.
    private(set) var wrongFactor: Double?
    /// The seconds to add to a picture's timestamp to get the time at which it is shown; nil before the first picture.
    private var offset: Double?
    private var latest: (due: Double, time: Double, arrival: Double)?
    /// The ranges of the transits (arrival time minus timestamp), in seconds, in the current window of 15 s and in the
    /// one before it.
    private var windows: [ClosedRange<Double>] = []
    private var windowEnd = 0.0
    /// The intervals between the pictures of about the last second, by timestamps and by arrivals, in seconds.
    private var steps: [(time: Double, arrival: Double)] = []

    /// The total of the jumps of the sender's clock, in seconds. It is subtracted from the sender's timestamps.
    private var doubted = 0.0

    private static let window = 15.0
    /// The maximum decrease of the delay from one picture to the next, as a fraction of the time between them.
    private static let haste = 0.1
    private static let smallestStep = 0.000_001

    init(longestDelay: Double, rate: Double?) { (self.longestDelay, self.rate) = (longestDelay, rate) }

    /// Returns when to show a picture, in seconds by the clock of `arrival`; always later than the picture before.
    mutating func due(_ time: Double, arrival: Double) -> Double {
        if let latest {
            let step = (time: time - latest.time, arrival: arrival - latest.arrival)
            steps.append(step)
            judgeClock()
            if isDoubtful(step) { doubted += step.time - step.arrival }
        }
        let sent = time
        let time = time - doubted
        let taken = arrival - time
        note(taken, at: arrival)
        let shortest = windows.reduce(taken) { min($0, $1.lowerBound) }
        let longest = windows.reduce(taken) { max($0, $1.upperBound) }
        var offset = offset ?? taken
        if wrongFactor != nil {
            offset = taken
        } else {
            let goal = min(longest, shortest + longestDelay)
            let saved = Self.haste * max(0, sent - (latest?.time ?? sent))
            offset = max(goal, min(offset - saved, shortest + longestDelay))
        }
        self.offset = offset
        let due = max(time + offset, (latest?.due).map { $0 + Self.smallestStep } ?? -.infinity)
        latest = (due, sent, arrival)
        return due
    }

    /// Shows all later pictures `delay` seconds later, because the decoder is too slow for the plan.
    mutating func postpone(by delay: Double) {
        offset = offset.map { $0 + delay }
        windows = windows.map { $0.lowerBound + delay...$0.upperBound + delay }
    }

    private mutating func note(_ taken: Double, at arrival: Double) {
        if windows.isEmpty || arrival >= windowEnd {
            windows = [taken...taken] + windows.prefix(1)
            windowEnd = arrival + Self.window
        }
        windows[0] = min(windows[0].lowerBound, taken)...max(windows[0].upperBound, taken)
    }

    /// The maximum ratio of the clocks' speeds, in either direction, at which the sender's clock is trusted:
    /// `mostByRate` while pictures arrive at the stated rate, otherwise `most`.
    private static let mostByRate = 1.5
    private static let most = 4.0
    /// The conditions for judging the sender's clock by intervals: their minimum number, their minimum sum in seconds,
    /// the maximum ratio of the longest interval to the median, and the minimum median in seconds.
    private static let fewestSteps = 8
    private static let shortestSpan = 0.8
    private static let mostUneven = 4.0
    private static let shortestStep = 0.008

    /// Whether the sender's clock seems to have jumped ahead: two pictures' timestamps are much farther apart than
    /// their arrivals. Pictures that arrive in a burst do not count. A jump must not delay pictures.
    private func isDoubtful(_ step: (time: Double, arrival: Double)) -> Bool {
        guard step.arrival >= Self.shortestStep else { return false }
        guard let rate, Self.isNear(step.arrival * rate) else { return step.time > Self.most * step.arrival }
        return step.time * rate > Self.mostByRate
    }

    private static func isNear(_ factor: Double, _ most: Double = mostByRate) -> Bool {
        factor <= most && factor >= 1 / most
    }

    /// Compares the speeds of the sender's and the machine's clocks. This is skipped while pictures arrive in bursts.
    private mutating func judgeClock() {
        var span = steps.reduce(0) { $0 + $1.arrival }
        while steps.count > Self.fewestSteps, span - steps[0].arrival >= Self.shortestSpan {
            span -= steps.removeFirst().arrival
        }
        guard steps.count >= Self.fewestSteps, span >= Self.shortestSpan else { return }
        let arrival = steps.map(\.arrival).sorted()
        let usual = (time: steps.map(\.time).sorted()[steps.count / 2], arrival: arrival[steps.count / 2])
        guard usual.arrival >= Self.shortestStep, arrival[arrival.count - 1] <= Self.mostUneven * usual.arrival
        else { return }
        let factor = max(usual.time, Self.smallestStep) / usual.arrival
        // Pictures held back arrive faster than at the stated rate, but their timestamps agree with it.
        let agrees = rate.map { Self.isNear(usual.time * $0) } ?? false
        let comesAtRate = rate.map { Self.isNear(usual.arrival * $0) } ?? false
        let isWrong = !agrees && !Self.isNear(factor, comesAtRate ? Self.mostByRate : Self.most)
        if isWrong != (wrongFactor != nil) { windows = [] }
        wrongFactor = isWrong ? wrongFactor ?? factor : nil
    }
}
