/// Turns the presentation times of pictures into media times that start at 0 and grow; ignores impossible times.
///
/// - A missing time continues by one usual step.
/// - A time that is not later than the one before, by up to a second, comes 1 ms after it: the pictures after it keep
///   their times. When this goes on, the times are not running, and count as missing.
/// - A larger step back, or one too far ahead, continues by one usual step. If the next picture has its time from
///   before the step, one time was wrong; if it follows the new time, the clock was set, and all further times are
///   shifted. Two such steps of about one length are believed: the pictures are that far apart.
package struct PresentationTimeline {
    /// The media time of the newest picture; nil before the first.
    private(set) var latest: Double?
    /// The number of times that were not believed.
    private(set) var corrections = 0
    /// The number of pictures a second; nil if the clip does not say.
    var rate: Double?
    /// The longest step, in seconds, that is believed whatever the usual one is.
    var longestStep = Self.longestStepOfFile
    /// The number of seconds added to presentation times; nil until the first picture of a round.
    private var offset: Double?
    /// The offset that would be right if the newest time that was not believed were true, and the step to it.
    private var other: (offset: Double, step: Double)?
    private var earliestOfRound = 0.0
    /// The newest steps that were believed, in seconds.
    private var steps: [Double] = []
    /// The number of pictures in a row that were not later than the one before.
    private var standstill = 0

    /// The longest step, in seconds, that is believed in a recording, which may have pauses between its pictures.
    private static let longestStepOfFile = 30.0
    /// The longest step, in seconds, that is believed of live pictures: only lost ones leave a gap.
    static let longestStepOfLive = 0.25
    /// The largest multiple of the usual step that is believed, for each value of `longestStep`.
    private static let mostUsualSteps = 10.0
    private static let smallestStep = 0.001
    /// The least step, in seconds, between two pictures; shorter ones are rounding. It is so small that pictures which
    /// come all at once do not run ahead of the clock.
    private static let leastStep = 0.000_001
    /// The longest step, in seconds, that is believed while neither the rate nor a usual step is known.
    private static let longestFirstStep = 5.0
    private static let longestBackwardStep = 1.0
    private static let longestStandstill = 3
    /// The number of steps of which the usual one is the median.
    private static let mostSteps = 9

    package init(rate: Double?) { self.rate = rate }

    /// Lets the next picture, whatever its time, follow the newest one: a clip begins again, a stream came back.
    /// - Parameter earliest: the media time that it must at least get, in seconds.
    mutating func beginRound(notBefore earliest: Double = 0) {
        offset = nil
        other = nil
        standstill = 0
        earliestOfRound = earliest
    }

    /// The usual step from one picture to the next, in seconds.
    private var usualStep: Double { steps.isEmpty ? 1 / (rate ?? 30) : steps.sorted()[steps.count / 2] }

    /// The media time in seconds of the next picture, by its presentation time in seconds: nil if it has none, infinite
    /// if it is wrong. A step of a live stream may be longer by `pause`, the time since the picture before came.
    package mutating func mediaTime(presentation: Double?, after pause: Double = 0) -> Double {
        let usualStep = usualStep
        let next = max(earliestOfRound, latest.map { $0 + usualStep } ?? 0)
        guard let presentation else { return settle(next) }
        guard presentation.isFinite else {
            corrections += 1
            return settle(next)
        }
        guard let offset, let latest else {
            offset = next - presentation
            return settle(next)
        }
        let first = steps.isEmpty && rate == nil ? Self.longestFirstStep : 0
        let limit = max(longestStep, first, Self.mostUsualSteps * usualStep) + pause
        let step = presentation + offset - latest
        if step > Self.leastStep, step < limit { return believe(step, after: latest) }
        if step <= Self.leastStep, step >= -Self.longestBackwardStep, standstill < Self.longestStandstill {
            standstill += 1
            return settle(latest + Self.smallestStep)
        }
        var newest = step
        if let other {
            newest = presentation + other.offset - latest
            // Two such steps are how far its pictures are apart.
            let isUsual = newest < 2 * other.step && other.step < 2 * newest
            if newest > Self.leastStep, newest < limit || isUsual {
                self.offset = other.offset
                return believe(newest, after: latest)
            }
        }
        corrections += 1
        other = (next - presentation, newest)
        return settle(next)
    }

    /// The media time in seconds of a picture that has no time but that of its arrival, in seconds since the first one.
    mutating func mediaTime(arrival: Double) -> Double {
        settle(latest.map { max(arrival, $0 + Self.leastStep) } ?? 0)
    }

    private mutating func believe(_ step: Double, after latest: Double) -> Double {
        other = nil
        standstill = 0
        if steps.count == Self.mostSteps { steps.removeFirst() }
        steps.append(step)
        return settle(latest + step)
    }

    private mutating func settle(_ time: Double) -> Double {
        latest = time
        earliestOfRound = 0
        return time
    }
}
