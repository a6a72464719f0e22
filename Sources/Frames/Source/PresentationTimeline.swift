/// Turns the timestamps of pictures into media times, which start at 0 and increase. It corrects these timestamps:
///
/// - A missing one: the picture comes one usual interval (the median of the newest) after the picture before.
/// - One that equals the one before, or is up to a second earlier: the picture comes 1 ms after the picture before, and
///   later pictures keep their times. After three such pictures in a row, the timestamps count as missing.
/// - One that jumps farther back, or too far ahead: the picture comes one usual interval after the picture before. If
///   the next timestamp continues from before the jump, only one was wrong. If it continues from the jump, the clock
///   was set, and later timestamps are shifted. If it jumps about as far again, the pictures really are that far apart.
package struct PresentationTimeline {
    /// The media time of the newest picture, in seconds; nil before the first picture.
    private(set) var latest: Double?
    /// The number of timestamps that were rejected as wrong and replaced.
    private(set) var corrections = 0
    /// The stated number of pictures per second; nil if unknown.
    var rate: Double?
    /// The interval between pictures, in seconds, up to which timestamps are accepted whatever the usual interval is.
    var longestStep = Self.longestStepOfFile
    /// The seconds to add to timestamps to get media times; nil from `beginRound` until the first picture after it.
    private var offset: Double?
    /// After a rejected timestamp: the `offset` to use if the next timestamp continues from the rejected one, and the
    /// interval, in seconds, by which the rejected one seemed to follow the picture before. Otherwise nil.
    private var other: (offset: Double, step: Double)?
    private var earliestOfRound = 0.0
    /// The newest accepted intervals between pictures, in seconds.
    private var steps: [Double] = []
    /// The number of pictures in a row whose timestamp was not later than the one before.
    private var standstill = 0

    /// The longest interval that is always accepted in recordings, in seconds. They may have pauses between pictures.
    private static let longestStepOfFile = 30.0
    /// The longest interval that is always accepted in live streams, in seconds. Only lost pictures leave gaps there.
    static let longestStepOfLive = 0.25
    /// The multiple of the usual interval up to which an interval longer than `longestStep` is still accepted.
    private static let mostUsualSteps = 10.0
    private static let smallestStep = 0.001
    /// The minimum interval between two pictures, in seconds. Shorter ones come from rounding. The minimum is tiny, so
    /// that pictures that arrive all at once do not get times far ahead of the clock.
    private static let leastStep = 0.000_001
    /// The interval between pictures, in seconds, that is believed while neither rate nor usual interval is known.
    private static let longestFirstStep = 5.0
    private static let longestBackwardStep = 1.0
    private static let longestStandstill = 3
    /// The number of newest intervals whose median is the usual interval.
    private static let mostSteps = 9

    package init(rate: Double?) { self.rate = rate }

    /// Lets the next picture follow the newest one, whatever its timestamp: a clip begins again, or a stream came back.
    /// - Parameter earliest: The minimum media time of the next picture, in seconds.
    mutating func beginRound(notBefore earliest: Double = 0) {
        offset = nil
        other = nil
        standstill = 0
        earliestOfRound = earliest
    }

    /// The usual interval between two pictures, in seconds: the median of the newest, at first according to `rate`.
    private var usualStep: Double { steps.isEmpty ? 1 / (rate ?? 30) : steps.sorted()[steps.count / 2] }

    /// Returns the next picture's media time in seconds. `presentation` is its timestamp in seconds, nil if missing,
    /// infinite if known to be wrong. `pause`, the time since the last live picture, extends the accepted interval.
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

    /// Returns the media time of a picture without a timestamp: its `arrival`, in seconds since the first picture.
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
