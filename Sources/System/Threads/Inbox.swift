import Synchronization

/// A queue that threads and tasks fill without waiting, and that one task empties.
package final class Inbox<Queue: Sendable>: Sendable {
    private let queue: Mutex<(elements: Queue, isClosed: Bool)>
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    package init(_ queue: Queue) {
        self.queue = Mutex((queue, false))
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Changes the queue, unless it is closed, and wakes the reader.
    /// - Returns: nil if the queue is closed.
    @discardableResult
    package func put<Result: Sendable>(_ add: @Sendable (inout Queue) -> Result) -> Result? {
        defer { waker.yield() }
        return queue.withLock { $0.isClosed ? nil : add(&$0.elements) }
    }

    /// Closes the queue: what is in it can still be taken.
    package func finish() {
        queue.withLock { $0.isClosed = true }
        waker.finish()
    }

    /// Waits until there is something to take.
    /// - Returns: nil once the queue is closed and empty, or the task cancelled.
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
