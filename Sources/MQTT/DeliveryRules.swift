/// How long events are worth delivering, and how many may wait.
package struct DeliveryRules: Hashable, Sendable {
    /// An event older than this is dropped and counted, never sent; nil sends events of any age.
    package var maximumAge: Duration?
    /// How many events may wait; the oldest goes first.
    ///
    /// 1 or more.
    package var capacity: Int

    /// Events up to 10 s old, up to 1000 of them.
    package init(maximumAge: Duration? = .seconds(10), capacity: Int = 1000) {
        self.maximumAge = maximumAge
        self.capacity = max(1, capacity)
    }

    /// How many events may be on their way to the broker at once.
    ///
    /// What the kernel holds cannot be taken back: when a broker hangs and wakes hours later it still reads it. So with
    /// an age limit it is one event at a time; a local broker takes thousands per second that way.
    var window: Int { maximumAge == nil ? 16 : 1 }
}
