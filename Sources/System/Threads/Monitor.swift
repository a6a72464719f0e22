/// A value behind a lock, with a condition to wait on, for threads that may block.
///
/// `Synchronization.Mutex` has no condition. `@unchecked Sendable` because `value` is only touched with the lock held.
package final class Monitor<Value>: @unchecked Sendable {
    // Not empty: the thread sanitizer takes access to an empty value for one to the object.
    private var value: Value
    // In memory of their own: the C functions need addresses that stay.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        // Setting the wall clock must not lengthen a wait.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Returns what `body` reads of the value, and wakes no thread.
    package func read<Result>(_ body: (Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(value)
    }

    /// Runs `body` with the value, then wakes all threads that wait.
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { unlock() }
        return body(&value)
    }

    /// Blocks until `body` returns something, trying again after each update; then wakes the other threads that wait.
    package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { unlock() }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, lock)
        }
    }

    /// Blocks as `wait(until:)` does, but no longer than for that time.
    /// - Returns: nil if the time is over.
    package func wait<Result>(for limit: Duration, until body: (inout Value) -> Result?) -> Result? {
        // Longer than a century, the sum might overflow.
        let bounded = min(max(limit, .zero), .seconds(4_000_000_000))
        let nanoseconds = Int(nanoseconds(of: CLOCK_MONOTONIC)) + Int(bounded / .nanoseconds(1))
        var end = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        pthread_mutex_lock(lock)
        defer { unlock() }
        while true {
            if let result = body(&value) { return result }
            if pthread_cond_timedwait(changed, lock, &end) == ETIMEDOUT { return body(&value) }
        }
    }

    private func unlock() {
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(lock)
    }
}
