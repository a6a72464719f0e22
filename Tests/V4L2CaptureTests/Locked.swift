import Foundation

/// A value behind a lock; unlike `Mutex` it lets unsafe pointers in and out, which the scripted kernel deals in.
///
/// `@unchecked Sendable` because `value` is only touched with the lock held.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
