/// A quantile of the latest values of a signal: what is usual for it, whatever it does for a moment.
///
/// Values are counted in bins, so that each step costs the same and nothing is allocated after the first.
struct RunningQuantile {
    private let range: ClosedRange<Double>
    private let share: Double
    private var counts: [Int]
    /// The bins of the values in the window, a ring.
    private var window: [Int] = []
    private var next = 0
    private let capacity: Int

    /// - Parameters:
    ///   - share: Which quantile: 0.5 is the median.
    ///   - capacity: How many of the latest values count.
    ///   - range: Values outside are counted at its ends.
    ///   - bins: How finely the range is divided.
    init(_ share: Double, ofLatest capacity: Int, in range: ClosedRange<Double>, bins: Int = 256) {
        self.share = share
        self.capacity = max(1, capacity)
        self.range = range
        counts = Array(repeating: 0, count: max(1, bins))
        window.reserveCapacity(self.capacity)
    }

    /// How many values are in the window.
    var count: Int { window.count }

    /// Takes a value into the window, the oldest out if it is full; what is no number is passed over.
    mutating func insert(_ value: Double) {
        guard !value.isNaN else { return }
        let clamped = min(max(value, range.lowerBound), range.upperBound)
        let position = (clamped - range.lowerBound) / (range.upperBound - range.lowerBound)
        let bin = min(counts.count - 1, Int(position * Double(counts.count)))
        if window.count < capacity {
            window.append(bin)
        } else {
            counts[window[next]] -= 1
            window[next] = bin
        }
        counts[bin] += 1
        next = (next + 1) % capacity
    }

    /// The quantile, to the middle of its bin; nil while there is no value.
    var value: Double? {
        guard !window.isEmpty else { return nil }
        let rank = Int(share * Double(window.count - 1))
        var below = 0
        let bin = counts.firstIndex { count in
            below += count
            return below > rank
        }
        guard let bin else { return nil }
        let width = (range.upperBound - range.lowerBound) / Double(counts.count)
        return range.lowerBound + (Double(bin) + 0.5) * width
    }
}
