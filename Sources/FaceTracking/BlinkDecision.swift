import FaceMetadata
import Glibc

/// Decides whether a valley of the openness is a blink, and of which eyes.
///
/// The models and the features are those that won on 52 labelled clips, each judged by a model fitted to the others.
struct BlinkDecision {
    /// The coefficients of a logistic model; nil for features that it does not use.
    private struct Model {
        var bias: Double
        var prominence: Double
        var lowest: Double
        var depthInNoise: Double?
        var prominenceInNoise: Double?
        var nearEyeDepth: Double
        var excessDuration: Double
        var appearance: (prominence: Double, center: Double, brightness: Double)?
        var threshold: Double
    }

    private static let landmarksOnly = Model(
        bias: -4.99,
        prominence: 4.56,
        lowest: -2.67,
        depthInNoise: 1.31,
        nearEyeDepth: 4.38,
        excessDuration: -3.61,
        threshold: 0.6
    )
    private static let withAppearance = Model(
        bias: -3.99,
        prominence: 2.20,
        lowest: -2.76,
        prominenceInNoise: 1.14,
        nearEyeDepth: 2.83,
        excessDuration: -3.45,
        appearance: (prominence: 4.45, center: -0.25, brightness: 4.25),
        threshold: 0.55
    )

    /// The least depth and height of the rise, as shares of the open level.
    private static let smallestProminence = 0.2

    /// The blink, if it is one.
    private(set) var blink: BlinkDetector.Blink?
    private let valley: Valley
    private let samples: Samples
    private let eyes: FaceEvent.Eyes
    typealias Valley = BlinkDetector.Valley
    typealias Samples = History<BlinkDetector.Sample>

    /// Decides with the newest sample as the last one that counts.
    init(_ valley: Valley, _ samples: Samples) {
        (self.valley, self.samples) = (valley, samples)
        eyes = Self.eyes(of: valley, samples)
        let duration = valley.halfway.upperBound - valley.halfway.lowerBound
        // Closed eyes cannot blink: the lids of a sleeper tremble.
        guard share(valley.fall.peak) >= ClosedEyes.closedShare,
            prominence >= Self.smallestProminence,
            duration <= FaceEvent.longestBlink
        else { return }
        let signals = (beforeClosing.lowerBound..<samples.end).allSatisfy { samples[$0].reading.appearance != nil }
        let model = signals ? Self.withAppearance : Self.landmarksOnly
        guard 1 / (1 + exp(-score(model, duration))) >= model.threshold else { return }
        let opened = samples[min(valley.closed.upperBound + 1, valley.risen)].stamp
        blink = (eyes, opened.mediaTime - valley.halfway.lowerBound, opened)
    }

    // MARK: Which eyes

    /// Which eyes closed: one only if the other one stayed open in every respect.
    private static func eyes(of valley: Valley, _ samples: Samples) -> FaceEvent.Eyes {
        guard valley.closed.allSatisfy({ samples[$0].reading.canWink }) else { return .both }
        let (left, right) = (Dip(of: \.left, in: valley, samples), Dip(of: \.right, in: valley, samples))
        if left.isDeep, right.isShallow { return .left }
        if right.isDeep, left.isShallow { return .right }
        return .both
    }

    /// How one eye moved while the valley lasted.
    private struct Dip {
        /// The median of the samples before, less the lowest one.
        let depth: Double
        let lowest: Double

        init(of eye: KeyPath<EachEye<Double>, Double>, in valley: Valley, _ samples: Samples) {
            func share(_ index: Int) -> Double { samples[index].reading.openness.share[keyPath: eye] }
            let before = max(samples.first, valley.closed.lowerBound - 6)..<valley.closed.lowerBound
            let open = before.isEmpty ? share(valley.fall.peak) : before.map(share).median
            lowest = valley.around(in: samples).map(share).min() ?? 1
            depth = open - lowest
        }

        var isDeep: Bool { depth > 0.5 && lowest < 0.4 }
        var isShallow: Bool { depth < 0.15 && lowest > 0.8 }
    }

    // MARK: Features

    /// The value of the eye that the decision is about, or that of both.
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

    /// The smaller one of the fall and the rise until now.
    private var prominence: Double {
        let top = (valley.risen..<samples.end).map(share).max() ?? 0
        return min(depth, top - share(valley.fall.lowest))
    }

    /// The samples of the open eye before, of which there is always one.
    private var beforeClosing: Range<Int> {
        let first = max(samples.first, valley.closed.lowerBound - 7)
        return first..<max(first + 1, valley.closed.lowerBound)
    }

    private func score(_ model: Model, _ duration: Double) -> Double {
        let noise = samples[max(samples.first, valley.closed.lowerBound - 2)].noise
        let weight = samples[valley.fall.lowest].reading.openness.weight
        let isLeftNear = eyes == .left || (eyes == .both && weight.left >= weight.right)
        let near = Dip(of: isLeftNear ? \.left : \.right, in: valley, samples)
        var score = model.bias
        score += model.prominence * min(max(prominence, 0), 1.2)
        score += model.lowest * min(max(share(valley.fall.lowest), -0.2), 1.2)
        score += (model.depthInNoise ?? 0) * log(max(0.5, depth / noise))
        score += (model.prominenceInNoise ?? 0) * log(max(0.3, prominence / noise))
        score += model.nearEyeDepth * min(max(near.depth, 0), 1.2)
        score += model.excessDuration * 5 * max(0, duration - 0.3)
        guard let weights = model.appearance else { return score }
        let peak = valley.around(in: samples).map { signal($0, \.dissimilarity) }.max() ?? 0
        let before = beforeClosing.map { signal($0, \.dissimilarity) }.median
        let after = (valley.risen..<samples.end).map { signal($0, \.dissimilarity) }.min() ?? 0
        score += weights.prominence * min(0.8, min(peak - before, peak - after))
        score += weights.center * rise(of: \.center)
        score += weights.brightness * rise(of: \.logBrightness)
        return score
    }

    /// The mean of a signal of the closed eye, less that of the open one before or after, whichever is nearer.
    private func rise(of value: KeyPath<EyeAppearance.Signal, Double>) -> Double {
        let closed = valley.closed.map { signal($0, value) }.reduce(0, +) / Double(valley.closed.count)
        let before = beforeClosing.map { signal($0, value) }.median
        let after = (valley.risen..<samples.end).map { signal($0, value) }.median
        return min(closed - before, closed - after)
    }

    private func signal(_ index: Int, _ value: KeyPath<EyeAppearance.Signal, Double>) -> Double {
        guard let each = samples[index].reading.appearance else { return 0 }
        let (weight, signal) = (samples[index].reading.openness.weight, each.map { $0[keyPath: value] })
        return self.value(signal, both: weight.left * signal.left + weight.right * signal.right)
    }
}

extension Collection<Double> {
    /// The value in the middle, or the mean of the two there; 0 of nothing.
    fileprivate var median: Double { sorted().quantileOfSorted(0.5) ?? 0 }
}
