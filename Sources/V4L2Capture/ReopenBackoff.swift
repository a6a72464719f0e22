/// How long to wait before a lost camera is tried again.
struct ReopenBackoff {
    /// The first wait in milliseconds.
    static let shortest = 250
    /// The longest wait in milliseconds: a camera that is back is noticed by then even if nothing announces it.
    static let longest = 1000

    private var next = shortest

    /// The wait before the coming try, in milliseconds; each is twice the one before.
    mutating func wait() -> Int {
        defer { next = min(next * 2, Self.longest) }
        return next
    }

    /// Something changed: the next try may well succeed.
    mutating func reset() {
        next = Self.shortest
    }
}
