/// A ring of the latest elements of a signal, addressed by their number since its beginning.
struct History<Element: Sendable>: Sendable {
    let capacity: Int
    private var storage: [Element] = []
    /// The number of the next element.
    private(set) var end = 0
    /// The number of the first element that was not forgotten.
    private var start = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The number of the oldest element that is still there, even if it was forgotten.
    var first: Int { max(0, end - capacity) }
    /// The numbers of the elements that are still there and were not forgotten.
    var available: Range<Int> { max(start, first)..<end }
    var last: Element? { end > 0 ? self[end - 1] : nil }

    /// Forgets the elements before `number`; without a number, all of them.
    mutating func forget(before number: Int? = nil) { start = number ?? end }

    /// The element with this number, which must be in `first..<end`.
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

/// Thins a signal to about 60 samples a second, so that a history spans the same seconds at any frame rate.
struct Thinning: Sendable {
    /// The samples a second, on average.
    static let rate = 60.0

    /// The time at which the next sample is due, in seconds.
    private var due = -Double.infinity

    /// Whether the sample of a time in seconds is taken; at up to 60 a second all are, even half an interval early.
    mutating func takes(_ time: Double) -> Bool {
        let half = 0.5 / Self.rate
        // A time further back is that of another clock.
        guard !(due - 3 * half..<due - half).contains(time) else { return false }
        // After a pause, or by another clock, the intervals begin anew.
        if !(due - half..<due + half).contains(time) { due = time }
        due += 2 * half
        return true
    }
}

/// Quantiles of a window that slides over a signal.
///
/// A step moves part of a sorted array, which for a few hundred values is the fastest way to an exact quantile.
struct SlidingQuantile: Sendable {
    private let duration: Double
    private var values: History<(time: Double, value: Double)>
    private var sorted: [Double] = []

    /// - Parameters:
    ///   - duration: The window's seconds.
    ///   - capacity: The most values that are kept: at least those of `duration` at the rate of `Thinning`.
    init(seconds duration: Double = .infinity, capacity: Int) {
        self.duration = duration
        values = History(capacity: capacity)
        sorted.reserveCapacity(capacity)
    }

    var count: Int { sorted.count }

    /// Adds a value, and removes those that are too old, or the oldest if the window is full.
    mutating func insert(_ value: Double, at time: Double = 0) {
        if count == values.capacity { removeOldest() }
        while count > 0, values[values.end - count].time < time - duration { removeOldest() }
        values.append((time, value))
        sorted.insert(value, at: position(of: value))
    }

    private mutating func removeOldest() { sorted.remove(at: position(of: values[values.end - count].value)) }

    func quantile(_ share: Double) -> Double? { sorted.quantileOfSorted(share) }

    /// The first position whose value is not less than `value`.
    private func position(of value: Double) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension [Double] {
    /// The quantile of a share 0…1 of ascending numbers, interpolated between the two nearest; nil without numbers.
    func quantileOfSorted(_ share: Double) -> Double? {
        guard let last else { return nil }
        let rank = share * Double(count - 1)
        let below = Int(rank)
        guard below + 1 < count else { return last }
        return self[below] + (rank - Double(below)) * (self[below + 1] - self[below])
    }
}

/// Counts the turns of a signal, from rising to falling or back, within some seconds.
struct Swings: Sendable {
    private let least: Double
    private let duration: Double
    /// The farthest value of the current movement.
    private var extreme = 0.0
    private var isRising = false
    /// The times at which the latest movements ended.
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
            extreme = value
            isRising.toggle()
            turns.append(time)
        }
        turns.removeAll { $0 <= time - duration }
    }
}
