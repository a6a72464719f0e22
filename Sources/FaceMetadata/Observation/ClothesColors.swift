/// The colours of the clothes below a face, as histograms of brightness and colour differences. They are used to
/// recognise the same clothes within minutes, not the person, and never leave this process.
package struct ClothesColors: Hashable, Sendable {
    /// The layout of the histograms of luma, Cr and Cb in `counts`. The end bins also count values outside the range.
    private static let channels = [
        (first: 0, bins: 12, range: Float(0)...256), (12, 16, 100...180), (28, 16, 80...160),
    ]

    private var counts = [Float](repeating: 0, count: 44)
    /// The number of counted pixels.
    package private(set) var total: Float = 0

    package init() {}

    /// Adds a pixel, whose components are 0…255.
    package mutating func add(red: Float, green: Float, blue: Float) {
        // Full-range YCrCb of ITU-R BT.601.
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        add(luma, 0)
        add(0.713 * (red - luma) + 128, 1)
        add(0.564 * (blue - luma) + 128, 2)
        total += 1
    }

    /// Adds one half to a value's bin and one quarter to each neighbouring bin, so that changes of light matter less.
    private mutating func add(_ value: Float, _ channel: Int) {
        let (first, bins, range) = Self.channels[channel]
        let place = (value - range.lowerBound) / (range.upperBound - range.lowerBound) * Float(bins)
        let bin = min(max(Int(place), 0), bins - 1)
        counts[first + bin] += 0.5
        counts[first + max(bin - 1, 0)] += 0.25
        counts[first + min(bin + 1, bins - 1)] += 0.25
    }

    /// Averages the histograms with newer ones, so that a hand that covers the clothes for a while matters less.
    package mutating func blend(_ newer: ClothesColors) {
        for bin in counts.indices { counts[bin] = (counts[bin] + newer.counts[bin]) / 2 }
        total = (total + newer.total) / 2
    }

    /// Returns the similarity, 0…1, to other colours: the product of the three histograms' Bhattacharyya coefficients.
    package func similarity(to other: ClothesColors) -> Double {
        guard total > 0, other.total > 0 else { return 0 }
        let scale = Double(total * other.total).squareRoot()
        var product = 1.0
        for (first, bins, _) in Self.channels {
            var sum = 0.0
            for bin in first..<first + bins { sum += Double(counts[bin] * other.counts[bin]).squareRoot() }
            product *= sum / scale
        }
        return product
    }
}
