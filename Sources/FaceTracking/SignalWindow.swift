/// The latest elements of a signal, addressed by their number since the beginning; older ones are overwritten.
///
/// Memory is taken once, by the first elements.
struct History<Element: Sendable>: Sendable {
    private let capacity: Int
    private var storage: [Element] = []
    /// The number of the next element: how many there have been.
    private(set) var end = 0
    /// Nothing before this element counts.
    private var start = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The number of the oldest element that is still there.
    var first: Int { max(0, end - capacity) }
    /// The elements that are still there and count.
    var held: Range<Int> { max(start, first)..<end }
    var last: Element? { end > 0 ? self[end - 1] : nil }

    /// Lets none of the elements count before a number, or none at all.
    mutating func forget(before number: Int? = nil) { start = number ?? end }

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

/// Thins a signal that comes faster than 60 times a second, so that a history of some samples holds the same seconds at any
/// frame rate.
struct Thinning: Sendable {
    /// Samples a second, on average.
    static let rate = 60.0

    /// When the next sample is due, in seconds.
    private var due = -Double.infinity

    /// Whether the sample of a time in seconds is taken. Up to 60 a second all are, though they come up to half an interval early.
    mutating func takes(_ time: Double) -> Bool {
        let half = 0.5 / Self.rate
        // What lies further back is the time of another clock.
        guard !(due - 3 * half..<due - half).contains(time) else { return false }
        // After a pause, or by another clock, the intervals begin anew.
        if !(due - half..<due + half).contains(time) { due = time }
        due += 2 * half
        return true
    }
}

/// What was measured at a time.
protocol TimedSample: Sendable {
    /// Seconds.
    var time: Double { get }
}

extension History where Element: TimedSample {
    /// Whether the newest element is no neighbour of one at that time.
    @inline(__always) func isBroken(at time: Double) -> Bool {
        end > first && !Track.bridges(time - self[end - 1].time)
    }
}

/// Quantiles of a window that slides over a signal: values enter at its end and leave at its beginning.
///
/// Memory is taken once; a step moves part of a sorted array, which for a few hundred values takes less than computing
/// any other quantile exactly.
struct SlidingQuantile: Sendable {
    private let duration: Double
    private let capacity: Int
    private var values: History<(time: Double, value: Double)>
    private var sorted: [Double] = []

    /// - Parameters:
    ///   - duration: Seconds; a value that old exactly still counts.
    ///   - capacity: How many values are kept at most: those of `duration` at the rate of `Thinning` or more.
    init(seconds duration: Double = .infinity, capacity: Int) {
        (self.duration, self.capacity) = (duration, capacity)
        values = History(capacity: capacity)
        sorted.reserveCapacity(capacity)
    }

    var count: Int { sorted.count }

    /// Takes a value into the window, and out of it those that are too old, or the oldest if it is full.
    mutating func insert(_ value: Double, at time: Double = 0) {
        if count == capacity { removeOldest() }
        while count > 0, values[values.end - count].time < time - duration { removeOldest() }
        values.append((time, value))
        sorted.insert(value, at: position(of: value))
    }

    private mutating func removeOldest() { sorted.remove(at: position(of: values[values.end - count].value)) }

    /// The quantile of a share 0…1, interpolated between the two nearest values; nil while the window is empty.
    func quantile(_ share: Double) -> Double? { sorted.quantileOfSorted(share) }

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

extension [Double] {
    /// The quantile of a share 0…1 of numbers in ascending order, interpolated between the two nearest ones; nil of none.
    func quantileOfSorted(_ share: Double) -> Double? {
        guard let last else { return nil }
        let rank = share * Double(count - 1)
        let below = Int(rank)
        guard below + 1 < count else { return last }
        return self[below] + (rank - Double(below)) * (self[below + 1] - self[below])
    }
}

/// Counts how often a signal turned within some seconds: from rising to falling, or back.
struct Swings: Sendable {
    private let least: Double
    private let duration: Double
    /// The end of the movement under way, and its direction.
    private var extreme = 0.0
    private var isRising = false
    /// When the latest movements ended.
    private var turns: [Double] = []

    /// - Parameters:
    ///   - least: The change between two turns that counts as a movement.
    ///   - duration: Seconds.
    init(least: Double, seconds duration: Double) { (self.least, self.duration) = (least, duration) }

    var count: Int { turns.count }

    mutating func begin(with value: Double) {
        extreme = value
        turns.removeAll(keepingCapacity: true)
    }

    mutating func add(_ value: Double, at time: Double) {
        if isRising ? value > extreme : value < extreme {
            extreme = value
        } else if abs(value - extreme) >= least {
            (extreme, isRising) = (value, !isRising)
            turns.append(time)
        }
        turns.removeAll { $0 <= time - duration }
    }
}
