import Glibc

/// Decides by a logistic model whether a valley of the eyes' openness, a fall and then a rise, is a blink, and of which
/// eyes. Models and features were chosen on 52 labelled clips, each judged by a model fitted to the others.
struct BlinkDecision {
    /// The likelihood above which a valley counts as a blink, in the models without and with the eyes' pixels.
    private static let threshold = (byLandmarks: 0.6, withPixels: 0.55)
    /// The minimum fall and rise of the openness in a blink, as fractions of the eyes' usual openness.
    private static let smallestProminence = 0.2

    private(set) var blink: BlinkDetector.Blink?
    private let valley: Valley
    private let samples: Samples
    private let eyes: FaceEvent.Eyes
    typealias Valley = BlinkDetector.Valley
    typealias Samples = History<BlinkDetector.Sample>

    init(_ valley: Valley, _ samples: Samples) {
        self.valley = valley
        self.samples = samples
        eyes = Self.eyes(of: valley, samples)
        let duration = valley.halfway.upperBound - valley.halfway.lowerBound
        // Closed eyes cannot blink, although the lids of a sleeper tremble.
        guard share(valley.fall.peak) >= ClosedEyes.closedShare,
            prominence >= Self.smallestProminence,
            duration <= FaceEvent.longestBlink
        else { return }
        let hasPixels = (beforeClosing.lowerBound..<samples.end).allSatisfy { samples[$0].reading.appearance != nil }
        let threshold = hasPixels ? Self.threshold.withPixels : Self.threshold.byLandmarks
        guard 1 / (1 + exp(-score(duration, hasPixels))) >= threshold else { return }
        let opened = samples[min(valley.closed.upperBound + 1, valley.risen)].stamp
        blink = (eyes, opened.mediaTime - valley.halfway.lowerBound, opened)
    }

    // MARK: Which eyes

    /// Returns the eyes that closed: only one if the other one clearly stayed open.
    private static func eyes(of valley: Valley, _ samples: Samples) -> FaceEvent.Eyes {
        guard valley.closed.allSatisfy({ samples[$0].reading.canWink }) else { return .both }
        let left = Dip(of: \.left, in: valley, samples)
        let right = Dip(of: \.right, in: valley, samples)
        if left.isDeep, right.isShallow { return .left }
        if right.isDeep, left.isShallow { return .right }
        return .both
    }

    /// The movement of one eye's lids during the valley, in which the mean openness of both eyes falls and rises.
    private struct Dip {
        /// The eye's median openness before the valley, minus its lowest openness in the valley.
        let depth: Double
        let lowest: Double

        init(of eye: KeyPath<EachEye<Double>, Double>, in valley: Valley, _ samples: Samples) {
            func share(_ index: Int) -> Double { samples[index].reading.openness.share[keyPath: eye] }
            let first = max(samples.first, valley.closed.lowerBound - 6)
            let before = first..<max(first, valley.closed.lowerBound)
            let open = before.isEmpty ? share(valley.fall.peak) : before.map(share).median
            lowest = valley.around(in: samples).map(share).min() ?? 1
            depth = open - lowest
        }

        var isDeep: Bool { depth > 0.5 && lowest < 0.4 }
        var isShallow: Bool { depth < 0.15 && lowest > 0.8 }
    }

    // MARK: Features

    /// Returns one of the given values: that for the eye that closed, or `both` if both eyes closed.
    private func value(_ each: EachEye<Double>, both: Double) -> Double {
        switch eyes {
        case .both: both
        case .left: each.left
        case .right: each.right
        }
    }

    private func share(_ index: Int) -> Double {
        value(samples[index].reading.openness.share, both: samples[index].share)
    }

    private var depth: Double { share(valley.fall.peak) - share(valley.fall.lowest) }

    /// The fall of the openness in the valley or its rise up to the newest sample, whichever is smaller.
    private var prominence: Double {
        let top = (valley.risen..<samples.end).map(share).max() ?? 0
        return min(depth, top - share(valley.fall.lowest))
    }

    /// The numbers of the last one to seven samples before the valley, when the eye was open.
    private var beforeClosing: Range<Int> {
        let first = max(samples.first, valley.closed.lowerBound - 7)
        return first..<max(first + 1, valley.closed.lowerBound)
    }

    /// Returns the weighted sum of the features in the logistic model of pixels and landmarks, or of landmarks only.
    private func score(_ duration: Double, _ hasPixels: Bool) -> Double {
        let noise = samples[max(samples.first, valley.closed.lowerBound - 2)].noise
        let weight = samples[valley.fall.lowest].reading.openness.weight
        let isLeftNear = eyes == .left || (eyes == .both && weight.left >= weight.right)
        let near = Dip(of: isLeftNear ? \.left : \.right, in: valley, samples)
        let features: [(value: Double, byLandmarks: Double, withPixels: Double)] = [
            (1, -4.99, -3.99),
            (min(max(prominence, 0), 1.2), 4.56, 2.20),
            (min(max(share(valley.fall.lowest), -0.2), 1.2), -2.67, -2.76),
            (log(max(0.5, depth / noise)), 1.31, 0),
            (log(max(0.3, prominence / noise)), 0, 1.14),
            (min(max(near.depth, 0), 1.2), 4.38, 2.83),
            (5 * max(0, duration - 0.3), -3.61, -3.45),
        ]
        guard hasPixels else { return features.reduce(0) { $0 + $1.value * $1.byLandmarks } }
        let peak = valley.around(in: samples).map { signal($0, \.dissimilarity) }.max() ?? 0
        let before = beforeClosing.map { signal($0, \.dissimilarity) }.median
        let after = (valley.risen..<samples.end).map { signal($0, \.dissimilarity) }.min() ?? 0
        let dissimilarity = 4.45 * min(0.8, min(peak - before, peak - after))
        let brightness = -0.25 * rise(of: \.center) + 4.25 * rise(of: \.logBrightness)
        return features.reduce(0) { $0 + $1.value * $1.withPixels } + dissimilarity + brightness
    }

    /// Returns a signal's mean while the eye is closed minus its median before or after, whichever difference is less.
    private func rise(of value: KeyPath<EyeAppearance.Signal, Double>) -> Double {
        let closed = valley.closed.map { signal($0, value) }.reduce(0, +) / Double(valley.closed.count)
        let before = beforeClosing.map { signal($0, value) }.median
        let after = (valley.risen..<samples.end).map { signal($0, value) }.median
        return min(closed - before, closed - after)
    }

    private func signal(_ index: Int, _ value: KeyPath<EyeAppearance.Signal, Double>) -> Double {
        guard let each = samples[index].reading.appearance else { return 0 }
        let signal = each.map { $0[keyPath: value] }
        return self.value(signal, both: samples[index].reading.openness.mean(signal))
    }
}

extension Collection<Double> {
    /// The median of the numbers; 0 for an empty collection.
    fileprivate var median: Double { sorted().quantileOfSorted(0.5) ?? 0 }
}
