/// A value behind a lock, for whose changes threads can wait by blocking.
///
/// `Synchronization.Mutex` has no condition. `@unchecked Sendable` because `value` is only used with the lock held.
package final class Monitor<Value>: @unchecked Sendable {
    // The value must not be of an empty type: the thread sanitizer takes access to it for one to this object.
    private var value: Value
    // Allocated, because the C functions need addresses that do not change.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        // By the monotonic clock, setting the wall clock does not lengthen a wait.
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

    /// Returns the result of `body`, which reads the value. No thread is woken.
    package func read<Result>(_ body: (Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(value)
    }

    /// Runs `body`, which may change the value, then wakes all waiting threads.
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { unlock() }
        return body(&value)
    }

    /// Blocks until `body`, called now and after each update, returns a value. Then wakes all waiting threads.
    package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { unlock() }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, lock)
        }
    }

    /// Blocks like `wait(until:)`, but at most for the duration `limit`.
    /// - Returns: The result of `body`; nil if the duration passed without one.
    package func wait<Result>(for limit: Duration, until body: (inout Value) -> Result?) -> Result? {
        // Clamped to about a century, so that the sum cannot overflow.
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
