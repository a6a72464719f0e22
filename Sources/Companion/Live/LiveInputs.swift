import Synchronization
import System

/// What waits for a command that follows a camera, from threads and tasks that do not wait for it.
final class LiveInputs: Sendable {
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let backlog: Mutex<LiveBacklog>
    private let start = ContinuousClock.now

    init(capacity: Int) {
        (wakeUps, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        backlog = Mutex(LiveBacklog(capacity: capacity))
    }

    func put(_ content: LiveInput.Content) {
        // The time is taken under the lock: later in the backlog is never earlier on the clock.
        backlog.withLock { $0.put(LiveInput(content: content, seconds: start.duration(to: .now) / .seconds(1))) }
        waker.yield()
    }

    func finish() {
        backlog.withLock { $0.isClosed = true }
        waker.finish()
    }

    func next() async -> LiveInput? {
        var wakeUps = wakeUps.makeAsyncIterator()
        while true {
            if let input = backlog.withLock({ $0.take() }) { return input }
            guard await wakeUps.next(isolation: #isolation) != nil else { return backlog.withLock { $0.take() } }
        }
    }
}
