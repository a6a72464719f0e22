/// Plans when the pictures of a live stream are shown: spaced as the sender's times say, after the least delay with
/// which its bursts come in time.
///
/// The transit of a picture is its arrival less its time by the sender's clock, which began at any moment. A picture
/// with a longer transit than all before delays those after it by as much; where all of the last half minute had a
/// shorter one, the delay is taken back little by little. So the plan follows the arrival, whatever the sender's clock
/// does.
///
/// A clock that runs several times too fast or too slow says nothing about spacing: pictures are shown as they come.
struct PlayOut {
    /// The longest extra time, in seconds, of some pictures' transit for which others wait.
    let longestDelay: Double
    /// The stated rate of the stream, in pictures a second.
    let rate: Double?
    /// The factor by which the sender's clock is faster than the machine's, while it is not believed.
    private(set) var wrongFactor: Double?
    /// The number of seconds added to a picture's time to get the moment at which it is shown.
    private var offset: Double?
    private var latest: (due: Double, time: Double, arrival: Double)?
    /// The shortest and the longest transit of pictures in this quarter of a minute, and in the one before.
    private var current: ClosedRange<Double>?
    private var previous: ClosedRange<Double>?
    private var windowEnd = 0.0
    /// The newest steps, of the last second.
    private var steps: [(time: Double, arrival: Double)] = []

    /// The seconds of the sender's time that were taken for an error of its clock.
    private var doubted = 0.0

    private static let window = 15.0
    /// The share of the time that may be saved when a delay is taken back.
    private static let haste = 0.1
    private static let smallestStep = 0.000_001

    init(longestDelay: Double, rate: Double?) { (self.longestDelay, self.rate) = (longestDelay, rate) }

    /// The moment at which a picture is shown, in seconds by the clock of `arrival`; always later than the one before.
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
        let shortest = min(current?.lowerBound ?? taken, previous?.lowerBound ?? taken)
        let longest = max(current?.upperBound ?? taken, previous?.upperBound ?? taken)
        var offset = offset ?? taken
        if wrongFactor != nil {
            offset = taken
        } else {
            let goal = min(longest, shortest + longestDelay)
            let saved = Self.haste * max(0, sent - (latest?.time ?? sent))
            // A delay above the limit is of no use.
            offset = max(goal, min(offset - saved, shortest + longestDelay))
        }
        self.offset = offset
        let due = max(time + offset, (latest?.due).map { $0 + Self.smallestStep } ?? -.infinity)
        latest = (due, sent, arrival)
        return due
    }

    /// Makes all that follows due `delay` seconds later, however fast it arrives: the consumer is not faster.
    mutating func postpone(by delay: Double) {
        offset = offset.map { $0 + delay }
        current = current.map { $0.lowerBound + delay...$0.upperBound + delay }
        previous = previous.map { $0.lowerBound + delay...$0.upperBound + delay }
    }

    private mutating func note(_ taken: Double, at arrival: Double) {
        if arrival >= windowEnd {
            previous = current
            current = nil
            windowEnd = arrival + Self.window
        }
        current = min(current?.lowerBound ?? taken, taken)...max(current?.upperBound ?? taken, taken)
    }

    /// The ratio of the clocks, or its inverse, beyond which the clock is not believed: with a stated rate, and
    /// without.
    private static let mostByRate = 1.5
    private static let most = 4.0
    /// The limits for the steps that decide: least number, span in seconds, unevenness, shortest usual step.
    private static let fewestSteps = 8
    private static let shortestSpan = 0.8
    private static let mostUneven = 4.0
    private static let shortestStep = 0.008

    /// Whether a step of the sender's clock is far longer than that between the arrivals, outside of a burst: before
    /// the clock is judged, it must not delay pictures.
    private func isDoubtful(_ step: (time: Double, arrival: Double)) -> Bool {
        guard step.arrival >= Self.shortestStep else { return false }
        guard let rate, Self.isNear(step.arrival * rate) else { return step.time > Self.most * step.arrival }
        return step.time * rate > Self.mostByRate
    }

    private static func isNear(_ factor: Double, _ most: Double = mostByRate) -> Bool {
        factor <= most && factor >= 1 / most
    }

    /// Compares the sender's clock with the machine's while pictures come evenly; a burst says nothing.
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
        // Pictures that are caught up with come faster than at their rate, but their times have it.
        let agrees = rate.map { Self.isNear(usual.time * $0) } ?? false
        let comesAtRate = rate.map { Self.isNear(usual.arrival * $0) } ?? false
        let isWrong = !agrees && !Self.isNear(factor, comesAtRate ? Self.mostByRate : Self.most)
        if isWrong != (wrongFactor != nil) { (current, previous, windowEnd) = (nil, nil, 0) }
        wrongFactor = isWrong ? wrongFactor ?? factor : nil
    }
}
