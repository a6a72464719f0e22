/// Smooths a face's bounds and angles, which jitter by a pixel and a few tenths of a degree from frame to frame.
struct ObservationSmoother {
    private var edges = OneEuroFilter<SIMD4<Double>>(speedCoefficient: 30)
    private var angles = OneEuroFilter<SIMD3<Double>>(speedCoefficient: angleCoefficient)
    static let angleCoefficient = 0.15

    private var last: HeadPose?

    /// Returns the smoothed bounds and pose; `interval` is the time since the face's last observation, in seconds.
    mutating func smooth(_ bounds: NormalizedRect, _ pose: HeadPose, interval: Double) -> (NormalizedRect, HeadPose) {
        let corners = SIMD4(bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height)
        let edges = edges.filter(corners, interval: interval)
        // Roll wraps around: the filter must not sweep through 0° when it steps from 179° to −179°.
        if let last, abs(pose.roll - last.roll) > 180 { angles.begin(0, with: pose.roll) }
        // An angle that was unknown begins without smoothing.
        if let yaw = pose.yaw, last?.yaw == nil { angles.begin(1, with: yaw) }
        if let pitch = pose.pitch, last?.pitch == nil { angles.begin(2, with: pitch) }
        last = pose
        let angles = angles.filter(SIMD3(pose.roll, pose.yaw ?? 0, pose.pitch ?? 0), interval: interval)
        let steady = NormalizedRect(from: edges.lowHalf, to: edges.highHalf)
        let yaw = pose.yaw == nil ? nil : angles.y
        return (steady, HeadPose(roll: angles.x, yaw: yaw, pitch: pose.pitch == nil ? nil : angles.z))
    }
}

/// A low-pass filter of several signals, which smooths each signal more at rest than in motion. It is the One Euro
/// filter of Casiez, Roussel and Vogel (CHI 2012), whose cutoff frequency grows with the speed.
struct OneEuroFilter<Signals: SIMD>: Sendable where Signals.Scalar == Double, Signals: Sendable {
    // The values were chosen on webcam clips. At rest the jitter is below the change gate's deadbands. A head that
    // turns at 100°/s or crosses the picture in two seconds lags by less than a frame.
    /// The cutoff frequency at rest, in Hz: a lower one is steadier.
    private let minimumCutoff = 1.5
    /// The growth of the cutoff frequency, in Hz per unit per second of speed: a higher one lags less.
    private let speedCoefficient: Double
    /// The cutoff frequency, in Hz, of the filter that smooths the speed: the paper's value.
    private let speedCutoff = 1.0
    private var last: (values: Signals, speeds: Signals)?

    init(speedCoefficient: Double) { self.speedCoefficient = speedCoefficient }

    /// Returns the next values, smoothed. `interval` is the time since the last values, in seconds. If it is not
    /// positive, or there were no values before, the values are unchanged.
    mutating func filter(_ values: Signals, interval: Double) -> Signals {
        guard let last, interval > 0 else {
            last = (values, .zero)
            return values
        }
        func blend(_ old: Signals, _ new: Signals, cutoff: Signals) -> Signals {
            let ratio = 2 * Double.pi * cutoff * interval
            return old + ratio / (ratio + 1) * (new - old)
        }
        let raw = (values - last.values) / interval
        let speeds = blend(last.speeds, raw, cutoff: Signals(repeating: speedCutoff))
        let cutoff = minimumCutoff + speedCoefficient * pointwiseMax(speeds, -speeds)
        let smooth = blend(last.values, values, cutoff: cutoff)
        self.last = (smooth, speeds)
        return smooth
    }

    /// Sets one signal, by its index, to a value without smoothing it.
    mutating func begin(_ index: Int, with value: Double) {
        last?.values[index] = value
        last?.speeds[index] = 0
    }
}
