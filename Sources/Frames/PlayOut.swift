/// Plans when the pictures of a live stream are shown: spaced as the sender's times say, after the least delay with which its
/// bursts come in time.
///
/// How long a picture took is the moment of its arrival less its time, by the sender's clock, which began at any moment. A
/// picture that took longer than all before delays those after it by as much. Where all of the last half minute took less, the
/// delay is taken back little by little. So the plan follows the arrival, whatever the sender's clock does.
///
/// A clock that runs several times too fast or too slow says nothing of the spacing: then each picture is shown as it comes.
struct PlayOut {
    /// How much longer some pictures may take than others for these to wait for them, in seconds.
    let longestDelay: Double
    /// The stated rate of the stream, in pictures a second.
    let rate: Double?
    /// How many times faster than the machine's the sender's clock runs, while it is not believed.
    private(set) var wrongFactor: Double?
    /// What is added to a time for the moment at which its picture is shown.
    private var offset: Double?
    private var latest: (due: Double, time: Double, arrival: Double)?
    /// The shortest and the longest that pictures took in this quarter of a minute, and in the one before.
    private var current: ClosedRange<Double>?
    private var previous: ClosedRange<Double>?
    private var windowEnd = 0.0
    /// The newest steps, of the last second.
    private var steps: [(time: Double, arrival: Double)] = []

    private static let window = 15.0
    /// How much of the time may be saved when a delay is taken back.
    private static let haste = 0.1
    private static let smallestStep = 0.000_001

    init(longestDelay: Double, rate: Double?) { (self.longestDelay, self.rate) = (longestDelay, rate) }

    /// The moment at which a picture is shown, in seconds by the clock of `arrival`; always later than the one before.
    mutating func due(_ time: Double, arrival: Double) -> Double {
        if let latest {
            steps.append((time - latest.time, arrival - latest.arrival))
            judgeClock()
        }
        let taken = arrival - time
        note(taken, at: arrival)
        let shortest = min(current?.lowerBound ?? taken, previous?.lowerBound ?? taken)
        let longest = max(current?.upperBound ?? taken, previous?.upperBound ?? taken)
        var offset = offset ?? taken
        if wrongFactor != nil {
            offset = taken
        } else {
            let goal = min(longest, shortest + longestDelay)
            let saved = Self.haste * max(0, time - (latest?.time ?? time))
            // A delay above the limit is of no use.
            offset = max(goal, min(offset - saved, shortest + longestDelay))
        }
        self.offset = offset
        let due = max(time + offset, (latest?.due).map { $0 + Self.smallestStep } ?? -.infinity)
        latest = (due, time, arrival)
        return due
    }

    private mutating func note(_ taken: Double, at arrival: Double) {
        if arrival >= windowEnd {
            (previous, current) = (current, nil)
            windowEnd = arrival + Self.window
        }
        current = min(current?.lowerBound ?? taken, taken)...max(current?.upperBound ?? taken, taken)
    }

    /// How far the ratio of the clocks may be from 1: by the stream's own rate, and without that.
    private static let mostByRate = 1.5
    private static let most = 4.0
    /// Of the steps that decide: how many, for how many seconds at the least; and how uneven they may be, and how short.
    private static let fewestSteps = 8
    private static let shortestSpan = 0.8
    private static let mostUneven = 4.0
    private static let shortestStep = 0.008

    /// Compares the sender's clock with the machine's while pictures come evenly: in a burst, or after one, nothing can be said.
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
        let isOff = { (factor: Double, most: Double) in factor > most || factor < 1 / most }
        // Pictures that are caught up with come faster than at their rate, but their times have it.
        let agrees = rate.map { !isOff(usual.time * $0, Self.mostByRate) } ?? false
        let comesAtRate = rate.map { !isOff(usual.arrival * $0, Self.mostByRate) } ?? false
        let isWrong = !agrees && isOff(factor, comesAtRate ? Self.mostByRate : Self.most)
        if isWrong != (wrongFactor != nil) { (current, previous, windowEnd) = (nil, nil, 0) }
        wrongFactor = isWrong ? wrongFactor ?? factor : nil
    }
}
