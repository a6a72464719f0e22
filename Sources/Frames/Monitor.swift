import Glibc

/// A value behind a lock, with a condition to wait on, for threads that may block.
///
/// `Synchronization.Mutex` has no condition. `@unchecked Sendable` because `value` is only touched with the lock held.
package final class Monitor<Value>: @unchecked Sendable {
    private var value: Value
    // In memory of their own: the C functions need addresses that stay.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Runs `body` with the value, then wakes everybody who waits.
    package func update<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        return body(&value)
    }

    /// Blocks until `body` returns something, trying again after each update; then wakes the others who wait.
    package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, lock)
        }
    }
}
