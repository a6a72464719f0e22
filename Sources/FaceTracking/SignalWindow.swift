import Glibc

/// The latest elements of a signal, addressed by their number since the beginning; older ones are overwritten.
///
/// Memory is taken once, by the first elements.
struct History<Element: Sendable>: Sendable {
    private let capacity: Int
    private var storage: [Element] = []

    /// The number of the next element: how many there have been.
    private(set) var end = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The number of the oldest element that is still there.
    var first: Int { max(0, end - capacity) }

    /// The element with a number in `first..<end`.
    subscript(index: Int) -> Element { storage[index % capacity] }

    mutating func append(_ element: Element) {
        if storage.count < capacity {
            if storage.isEmpty { storage.reserveCapacity(capacity) }
            storage.append(element)
        } else {
            storage[end % capacity] = element
        }
        end += 1
    }
}

/// Quantiles of a window that slides over a signal: values enter at its end and leave at its beginning.
///
/// Memory is taken once; a step moves part of a sorted array, which for a few hundred values takes less than computing
/// any other quantile exactly.
struct SlidingQuantile: Sendable {
    private let capacity: Int
    private var ring: [Double] = []
    private var sorted: [Double] = []
    private var oldest = 0

    init(capacity: Int) {
        self.capacity = capacity
        ring = Array(repeating: 0, count: capacity)
        sorted.reserveCapacity(capacity)
    }

    /// How many values are in the window.
    var count: Int { sorted.count }

    /// Takes a value into the window, the oldest out of it if it is full.
    mutating func insert(_ value: Double) {
        if count == capacity { removeOldest() }
        ring[(oldest + count) % capacity] = value
        sorted.insert(value, at: position(of: value))
    }

    /// Takes the oldest value out of the window.
    mutating func removeOldest() {
        guard count > 0 else { return }
        sorted.remove(at: position(of: ring[oldest]))
        oldest = (oldest + 1) % capacity
    }

    /// The quantile of a share 0…1, interpolated between the two nearest values; nil while the window is empty.
    func quantile(_ share: Double) -> Double? {
        guard let last = sorted.last else { return nil }
        let rank = share * Double(count - 1)
        let below = Int(rank)
        guard below + 1 < count else { return last }
        return sorted[below] + (rank - Double(below)) * (sorted[below + 1] - sorted[below])
    }

    /// The first position whose value is not less.
    private func position(of value: Double) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A sliding quantile of the values of the last seconds.
struct TimedQuantile: Sendable {
    private let duration: Double
    private var times: History<Double>
    private var window: SlidingQuantile
    private var start = 0

    /// - Parameters:
    ///   - duration: Seconds; a value that old exactly still counts.
    ///   - capacity: How many values are kept at most, which shortens the window at very high frame rates.
    init(seconds duration: Double, capacity: Int) {
        self.duration = duration
        times = History(capacity: capacity)
        window = SlidingQuantile(capacity: capacity)
    }

    /// How many values are in the window.
    var count: Int { window.count }

    mutating func insert(_ value: Double, at time: Double) {
        window.insert(value)
        times.append(time)
        start = max(start, times.first)
        while start < times.end - 1, times[start] < time - duration {
            window.removeOldest()
            start += 1
        }
    }

    /// The quantile of a share 0…1; nil while the window is empty.
    func quantile(_ share: Double) -> Double? { window.quantile(share) }
}
