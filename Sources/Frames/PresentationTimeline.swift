/// Turns the presentation times of a clip's pictures into media times that start at 0 and always grow.
///
/// - A missing time continues by one nominal frame.
/// - A time that is not later than the one before, by up to a second, comes 1 ms after it: the pictures after it keep
///   their own times.
/// - A larger step back is a clip that begins again (recordings put together do so): it continues one nominal frame
///   later, and all further times are shifted with it. So does a step of more than a day ahead, which is damage.
package struct PresentationTimeline {
    /// The media time of the newest picture; nil before the first.
    private(set) var latest: Double?
    /// Seconds from one picture to the next where the clip does not say.
    var nominalStep: Double
    /// What is added to presentation times; nil until the first picture of a round.
    private var offset: Double?
    private var earliestOfRound = 0.0
    private static let smallestStep = 0.001
    /// Small enough that pictures which come all at once do not run ahead of the clock.
    private static let smallestArrivalStep = 0.000_001
    private static let longestBackwardStep = 1.0
    private static let longestForwardStep = 86_400.0

    /// Makes a timeline for a clip that shows that many pictures a second; 30 if it does not say.
    package init(rate: Double?) { nominalStep = 1 / (rate ?? 30) }

    /// Lets the next picture, whatever its time, follow the newest one: a clip begins again, a stream came back.
    /// - Parameter earliest: the media time that it must at least get, in seconds.
    mutating func beginRound(notBefore earliest: Double = 0) {
        offset = nil
        earliestOfRound = earliest
    }

    /// The media time in seconds of the next picture, with its presentation time in seconds, nil if it has none.
    package mutating func mediaTime(presentation: Double?) -> Double {
        let next = max(earliestOfRound, latest.map { $0 + nominalStep } ?? 0)
        guard let presentation else { return settle(next) }
        if let offset, let latest {
            let time = presentation + offset
            if time - latest < Self.longestForwardStep, latest - time <= Self.longestBackwardStep {
                return settle(time > latest ? time : latest + Self.smallestStep)
            }
        }
        offset = next - presentation
        return settle(next)
    }

    /// The media time in seconds of a picture that has no time but that of its arrival, in seconds since the first one.
    mutating func mediaTime(arrival: Double) -> Double {
        settle(latest.map { max(arrival, $0 + Self.smallestArrivalStep) } ?? 0)
    }

    private mutating func settle(_ time: Double) -> Double {
        latest = time
        earliestOfRound = 0
        return time
    }
}
