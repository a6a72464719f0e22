import Glibc

/// Compares the pixels around each eye with a mean picture of the same eye while it was open. This shows lids that the
/// landmarks miss in small, blurred or dark eyes, and landmarks that move without the lids.
struct EyeAppearance: Sendable {
    /// The signals from an eye's pixels that tell whether the eye is open.
    struct Signal: Equatable, Sendable {
        /// 1 minus the correlation with the open eye's mean picture: 0 if equal, about 1 for a closed eye.
        var dissimilarity: Double
        /// The brightness of the eye's middle minus the patch's mean, in standard deviations. Dark irises lower it.
        var center: Double
        /// The natural logarithm of 8 plus the brightness of the eye's middle, 0…255.
        var logBrightness: Double
    }

    /// The fraction of its usual openness above which an eye counts as open, so that its picture is learnt.
    private static let openShare = 0.75

    private var templates = EachEye(EyeTemplate(), EyeTemplate())

    /// Compares a frame's eye patches with the mean pictures of open eyes, then updates the means with open eyes.
    mutating func advance(_ patches: EyePatches, _ share: EachEye<Double>) -> EachEye<Signal> {
        patches.pixels.span.withUnsafeBufferPointer { pixels in
            guard let base = pixels.baseAddress else { preconditionFailure("the patches have a fixed size") }
            let left = templates.left.compare(base, learns: share.left > Self.openShare)
            let right = templates.right.compare(base + EyePatches.count, learns: share.right > Self.openShare)
            return EachEye(left, right)
        }
    }
}

/// The mean picture of one open eye.
struct EyeTemplate: Sendable {
    /// The number of patches over which the mean is taken: enough to average noise, few enough to follow the light.
    private static let length: Float = 12
    /// A constant added to the standard deviation, so that a patch without contrast resembles nothing.
    private static let contrastFloor: Float = 1
    /// The weights of all pixels for the correlation, then for the middle's brightness. Each of the two sets sums to 1.
    private static let weights = gaussian(10, 6) + gaussian(5, 4)

    private var mean: [Float] = []
    private var count: Float = 0

    /// Compares a patch with the mean picture, then adds the patch to it if `learns` says that the eye is open.
    mutating func compare(_ patch: UnsafePointer<UInt8>, learns: Bool) -> EyeAppearance.Signal {
        if mean.isEmpty { mean = (0..<EyePatches.count).map { Float(patch[$0]) } }
        let sums = Self.sums(patch, mean, Self.weights)
        if learns {
            // The first patch already is the mean.
            count = min(Self.length, count + 1)
            let share = 1 / max(count, 1)
            mean.withUnsafeMutableBufferPointer { mean in
                for index in mean.indices { mean[index] += share * (Float(patch[index]) - mean[index]) }
            }
        }
        let deviation = max(0, sums.patchSquare - sums.patch * sums.patch).squareRoot() + Self.contrastFloor
        let templateVariance = sums.templateSquare - sums.template * sums.template
        let templateDeviation = max(0, templateVariance).squareRoot() + Self.contrastFloor
        let covariance = sums.product - sums.patch * sums.template
        return EyeAppearance.Signal(
            dissimilarity: Double(1 - covariance / (deviation * templateDeviation)),
            center: Double((sums.center - sums.patch) / deviation),
            logBrightness: Double(logf(8 + sums.center))
        )
    }

    /// Returns the weights exp(−(x/across)² − (y/down)²) around the patch's middle, in pixels, normalized to the sum 1.
    private static func gaussian(_ across: Float, _ down: Float) -> [Float] {
        let values = (0..<EyePatches.count).map { index -> Float in
            let x = (Float(index % EyePatches.width) - Float(EyePatches.width - 1) / 2) / across
            let y = (Float(index / EyePatches.width) - Float(EyePatches.height - 1) / 2) / down
            return expf(-x * x - y * y)
        }
        let sum = values.reduce(0, +)
        return values.map { $0 / sum }
    }

    private typealias Sums = (
        patch: Float, patchSquare: Float, template: Float, templateSquare: Float, product: Float, center: Float
    )

    /// Computes the weighted moments of a patch and the mean picture, eight pixels at a time.
    private static func sums(_ eye: UnsafeRawPointer, _ mean: UnsafeRawPointer, _ weights: UnsafeRawPointer) -> Sums {
        typealias Lanes = SIMD8<Float>
        var (first, firstSquare, second, secondSquare) = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)
        var (product, center) = (Lanes.zero, Lanes.zero)
        let half = MemoryLayout<Float>.stride * EyePatches.count
        for index in stride(from: 0, to: EyePatches.count, by: Lanes.scalarCount) {
            let bytes = MemoryLayout<Float>.stride * index
            let patch = Lanes(eye.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt8>.self))
            let template = mean.loadUnaligned(fromByteOffset: bytes, as: Lanes.self)
            let weight = weights.loadUnaligned(fromByteOffset: bytes, as: Lanes.self)
            let middle = weights.loadUnaligned(fromByteOffset: half + bytes, as: Lanes.self)
            let (weightedPatch, weightedTemplate) = (weight * patch, weight * template)
            first += weightedPatch
            firstSquare += weightedPatch * patch
            second += weightedTemplate
            secondSquare += weightedTemplate * template
            product += weightedPatch * template
            center += middle * patch
        }
        return (first.sum(), firstSquare.sum(), second.sum(), secondSquare.sum(), product.sum(), center.sum())
    }
}
