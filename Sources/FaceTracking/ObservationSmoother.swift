import FaceMetadata
import Glibc

/// Steadies a face's box and angles, which jitter by a pixel and a few tenths of a degree from frame to frame.
struct ObservationSmoother {
    // Chosen on webcam clips: at rest the jitter is below the change gate's deadbands, and a head turning at 100°/s or
    // crossing the picture in two seconds lags by less than a frame.
    private static let box = OneEuroFilter.Parameters(minimumCutoff: 1.5, speedCoefficient: 30)
    static let angle = OneEuroFilter.Parameters(minimumCutoff: 1.5, speedCoefficient: 0.15)

    private var edges: [OneEuroFilter] = Array(repeating: OneEuroFilter(box), count: 4)
    private var angles: [OneEuroFilter] = Array(repeating: OneEuroFilter(angle), count: 3)
    private var lastRoll: Double?

    /// The bounds and the pose, steadied; `interval` is the time since the face's last observation, in seconds.
    mutating func smooth(
        _ bounds: NormalizedRect,
        _ pose: HeadPose,
        interval: Double
    ) -> (bounds: NormalizedRect, pose: HeadPose) {
        let left = edges[0].filter(bounds.x, interval: interval)
        let top = edges[1].filter(bounds.y, interval: interval)
        let right = edges[2].filter(bounds.x + bounds.width, interval: interval)
        let bottom = edges[3].filter(bounds.y + bounds.height, interval: interval)
        // Roll goes round: the filter must not sweep through 0° when it steps from 179° to −179°.
        if let lastRoll, abs(pose.roll - lastRoll) > 180 { angles[0] = OneEuroFilter(Self.angle) }
        lastRoll = pose.roll
        return (
            NormalizedRect(left: left, top: top, right: right, bottom: bottom),
            HeadPose(
                roll: angles[0].filter(pose.roll, interval: interval),
                yaw: angles[1].filter(pose.yaw, interval: interval),
                pitch: angles[2].filter(pose.pitch, interval: interval)
            )
        )
    }
}

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
    }

    /// The cutoff of the speed itself, in Hz: the paper's value.
    private static let speedCutoff = 1.0

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
        let speed = blend(last.speed, rawSpeed, cutoff: Self.speedCutoff, interval)
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
