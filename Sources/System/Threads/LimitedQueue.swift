import DequeModule

/// A queue that drops its oldest elements if too much waits in it. What waits is measured in up to three amounts.
package struct LimitedQueue<Element: Sendable>: Sendable {
    /// The usual maximum of bytes, which limits the memory that a hostile publisher can fill.
    package static var mostBytes: Int { 32 << 20 }

    private let most: SIMD3<Int>
    private let measure: @Sendable (Element) -> SIMD3<Int>
    private var amounts = SIMD3<Int>.zero
    private var waiting: Deque<Element> = []

    /// Makes a queue with these limits. `measure` returns what an element adds to each amount.
    package init(atMost most: SIMD3<Int>, _ measure: @escaping @Sendable (Element) -> SIMD3<Int>) {
        self.most = most
        self.measure = measure
    }

    package var isEmpty: Bool { waiting.isEmpty }

    /// Adds an element. For each amount that becomes too large, drops the oldest elements that add to it.
    /// - Returns: The dropped elements.
    @discardableResult
    package mutating func put(_ new: Element) -> [Element] {
        let added = measure(new)
        var dropped: [Element] = []
        for kind in added.indices where added[kind] > 0 {
            // An element that is larger than the limit waits alone.
            while amounts[kind] + added[kind] > most[kind],
                let oldest = waiting.firstIndex(where: { measure($0)[kind] > 0 })
            {
                let old = waiting.remove(at: oldest)
                amounts &-= measure(old)
                dropped.append(old)
            }
        }
        waiting.append(new)
        amounts &+= added
        return dropped
    }

    package mutating func removeFirst() -> Element? {
        guard let first = waiting.popFirst() else { return nil }
        amounts &-= measure(first)
        return first
    }
}
