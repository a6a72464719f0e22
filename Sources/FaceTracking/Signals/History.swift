/// A ring buffer of a signal's latest elements. Each has a number, counted from 0 since the signal's beginning.
struct History<Element: Sendable>: Sendable {
    let capacity: Int
    private var storage: [Element] = []
    /// The number that the next element will get.
    private(set) var end = 0
    /// The number of the first element that was not forgotten.
    private var start = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The number of the oldest element that is still in the buffer, even if it was forgotten.
    var first: Int { max(0, end - capacity) }
    /// The numbers of the elements that are still in the buffer and were not forgotten.
    var available: Range<Int> { max(start, first)..<end }
    var last: Element? { end > 0 ? self[end - 1] : nil }

    /// Forgets the elements before the one with this number, or all elements.
    mutating func forget(before number: Int? = nil) { start = number ?? end }

    /// Returns the element with this number, which must be in `first..<end`.
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

/// Thins a signal to a maximum rate, so that a buffer spans the same time at any higher frame rate.
struct Thinning: Sendable {
    /// The usual maximum rate, in samples per second.
    static let rate = 60.0

    /// The maximum number of samples let through per second, on average.
    var rate = Self.rate
    /// The time at which the next sample is due, in seconds.
    private(set) var due = -Double.infinity

    /// Whether to take the sample at `time`, in seconds. Signals of up to the maximum rate pass despite jitter.
    mutating func takes(_ time: Double) -> Bool {
        let half = 0.5 / rate
        // A time that is further back belongs to another clock.
        guard !(due - 3 * half..<due - half).contains(time) else { return false }
        // After a pause or a change of the clock, the intervals begin anew.
        if !(due - half..<due + half).contains(time) { due = time }
        due += 2 * half
        return true
    }
}

/// A window that slides over a signal and returns quantiles of its values. Each new value shifts part of a sorted
/// array, which for a few hundred values is the fastest way to an exact quantile.
struct SlidingQuantile: Sendable {
    private let duration: Double
    private var values: History<(time: Double, value: Double)>
    private var sorted: [Double] = []

    /// Makes an empty window of `duration` seconds for at most `capacity` values, enough for the rate of `Thinning`.
    init(seconds duration: Double = .infinity, capacity: Int) {
        self.duration = duration
        values = History(capacity: capacity)
        sorted.reserveCapacity(capacity)
    }

    var count: Int { sorted.count }

    /// Adds a value. Removes the values older than the window, or the oldest one if `capacity` is reached.
    mutating func insert(_ value: Double, at time: Double = 0) {
        if count == values.capacity { removeOldest() }
        while count > 0, values[values.end - count].time < time - duration { removeOldest() }
        values.append((time, value))
        sorted.insert(value, at: position(of: value))
    }

    private mutating func removeOldest() { sorted.remove(at: position(of: values[values.end - count].value)) }

    func quantile(_ share: Double) -> Double? { sorted.quantileOfSorted(share) }

    /// Returns the first index of `sorted` whose value is not less than `value`.
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
    /// Returns the quantile `share`, 0…1, of ascending numbers, interpolated between the nearest two; nil if empty.
    func quantileOfSorted(_ share: Double) -> Double? {
        guard let last else { return nil }
        let rank = share * Double(count - 1)
        let below = Int(rank)
        guard below + 1 < count else { return last }
        return self[below] + (rank - Double(below)) * (self[below + 1] - self[below])
    }
}

/// Counts the turns of a signal, from rising to falling or back, within a sliding time window.
struct Swings: Sendable {
    private let least: Double
    private let duration: Double
    /// The highest value since the last turn if the signal rises, or the lowest if it falls.
    private var extreme = 0.0
    private var isRising = false
    /// The times at which the turns in the window were noticed.
    private var turns: [Double] = []

    /// Makes a counter of turns in the last `duration` seconds. A change by at least `least` from an extreme is a turn.
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
