/// A queue that threads and tasks fill without waiting, and that one task empties.
package final class Inbox<Queue: Sendable>: Sendable {
    private let queue: Mutex<(elements: Queue, isClosed: Bool)>
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    package init(_ queue: Queue) {
        self.queue = Mutex((queue, false))
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Calls `add` to change the queue, unless it is closed, and wakes the reader.
    /// - Returns: What `add` returns; nil if the queue is closed.
    @discardableResult
    package func put<Result: Sendable>(_ add: @Sendable (inout Queue) -> Result) -> Result? {
        defer { waker.yield() }
        return queue.withLock { $0.isClosed ? nil : add(&$0.elements) }
    }

    /// Closes the queue. Elements in it can still be taken.
    package func finish() {
        queue.withLock { $0.isClosed = true }
        waker.finish()
    }

    /// Waits until `take` takes an element from the queue.
    /// - Returns: The element; nil once the queue is closed and empty, or the task is cancelled.
    package func next<Element: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ take: @Sendable (inout Queue) -> Element?
    ) async -> Element? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let element = queue.withLock({ take(&$0.elements) }) { return element }
            guard await wakeUps.next(isolation: isolation) != nil else { return queue.withLock { take(&$0.elements) } }
        }
    }
}
