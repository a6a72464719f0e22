import Glibc

/// A low-pass filter that is slow while its signal rests and quick while it moves.
///
/// The One Euro filter of Casiez, Roussel and Vogel (CHI 2012): the cutoff frequency grows with the speed.
struct OneEuroFilter {
    /// How a signal is smoothed.
    struct Parameters: Hashable, Sendable {
        /// The cutoff at rest, in Hz: lower is steadier.
        var minimumCutoff: Double
        /// How the cutoff grows, in Hz per unit a second: higher lags less.
        var speedCoefficient: Double
        /// The cutoff of the speed itself, in Hz; 1 is the paper's value.
        var speedCutoff = 1.0
    }

    private let parameters: Parameters
    private var last: (value: Double, speed: Double)?

    init(_ parameters: Parameters) {
        self.parameters = parameters
    }

    /// Smooths the next value, `interval` seconds after the one before.
    ///
    /// Without a positive interval the value is taken as it is.
    mutating func filter(_ value: Double, interval: Double) -> Double {
        guard let last, interval > 0 else {
            last = (value, 0)
            return value
        }
        let rawSpeed = (value - last.value) / interval
        let speed = blend(last.speed, rawSpeed, cutoff: parameters.speedCutoff, interval)
        let cutoff = parameters.minimumCutoff + parameters.speedCoefficient * abs(speed)
        let smooth = blend(last.value, value, cutoff: cutoff, interval)
        self.last = (smooth, speed)
        return smooth
    }

    private func blend(_ old: Double, _ new: Double, cutoff: Double, _ interval: Double) -> Double {
        let ratio = 2 * Double.pi * cutoff * interval
        return old + ratio / (ratio + 1) * (new - old)
    }
}
