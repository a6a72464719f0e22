/// Steadies a face's box and angles, which jitter by a pixel and a few tenths of a degree from frame to frame.
struct ObservationSmoother {
    private var edges = OneEuroFilter<SIMD4<Double>>(speedCoefficient: 30)
    private var angles = OneEuroFilter<SIMD3<Double>>(speedCoefficient: angleCoefficient)
    static let angleCoefficient = 0.15

    private var last: HeadPose?

    /// Returns the bounds and the pose, steadied; `interval` is the time since the face's last observation, in seconds.
    mutating func smooth(_ bounds: NormalizedRect, _ pose: HeadPose, interval: Double) -> (NormalizedRect, HeadPose) {
        let corners = SIMD4(bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height)
        let edges = edges.filter(corners, interval: interval)
        // Roll goes round: the filter must not sweep through 0° when it steps from 179° to −179°.
        if let last, abs(pose.roll - last.roll) > 180 { angles.begin(0, with: pose.roll) }
        // An angle that was unknown begins anew.
        if let yaw = pose.yaw, last?.yaw == nil { angles.begin(1, with: yaw) }
        if let pitch = pose.pitch, last?.pitch == nil { angles.begin(2, with: pitch) }
        last = pose
        let angles = angles.filter(SIMD3(pose.roll, pose.yaw ?? 0, pose.pitch ?? 0), interval: interval)
        let steady = NormalizedRect(left: edges.x, top: edges.y, right: edges.z, bottom: edges.w)
        let yaw = pose.yaw == nil ? nil : angles.y
        return (steady, HeadPose(roll: angles.x, yaw: yaw, pitch: pose.pitch == nil ? nil : angles.z))
    }
}

/// A low-pass filter of several signals, each of which is slow while it rests and quick while it moves.
///
/// The One Euro filter of Casiez, Roussel and Vogel (CHI 2012): the cutoff frequency grows with the speed.
struct OneEuroFilter<Signals: SIMD>: Sendable where Signals.Scalar == Double, Signals: Sendable {
    // Chosen on webcam clips: at rest the jitter is below the change gate's deadbands; a head that turns at 100°/s or
    // crosses the picture in two seconds lags by less than a frame.
    /// The cutoff at rest, in Hz: lower is steadier.
    private let minimumCutoff = 1.5
    /// The growth of the cutoff with the speed, in Hz per unit a second: higher lags less.
    private let speedCoefficient: Double
    /// The cutoff of the filter that smooths the speed, in Hz: the value of the paper.
    private let speedCutoff = 1.0
    private var last: (values: Signals, speeds: Signals)?

    init(speedCoefficient: Double) { self.speedCoefficient = speedCoefficient }

    /// Smooths the next values, `interval` seconds after the last; takes them unchanged if that is not positive.
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

    /// Sets one of the signals to a value without smoothing it.
    mutating func begin(_ index: Int, with value: Double) {
        last?.values[index] = value
        last?.speeds[index] = 0
    }
}
