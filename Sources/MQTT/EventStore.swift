/// An event that waits for the broker's acknowledgement.
public struct StoredEvent: Hashable, Sendable {
    /// The event's number, which orders it; unique and growing across restarts.
    public var sequence: Int64
    /// When it was accepted.
    public var time: DeliveryClock.Moment
    /// What is sent.
    public var message: MQTTMessage

    /// Makes an event.
    public init(sequence: Int64, time: DeliveryClock.Moment, message: MQTTMessage) {
        self.sequence = sequence
        self.time = time
        self.message = message
    }
}

/// Keeps events until the broker has them, and a few small values besides.
///
/// All calls are safe from any thread and short; none throws: a store that can no longer write goes on in memory, says
/// so once in the log, and in `degradation` from then on.
public protocol EventStore: Sendable {
    /// The number for the next event, which its payload may carry. The number is used up for good by `append`, so a
    /// crash between the two leaves no gap.
    func nextSequence() -> Int64

    /// Keeps an event.
    ///
    /// - Returns: whether the event survives a crash.
    @discardableResult
    func append(_ event: StoredEvent) -> Bool

    /// Forgets events that are done with.
    func remove(_ sequences: [Int64])

    /// The events kept, oldest first.
    func events() -> [StoredEvent]

    /// The value kept under a key.
    func value(for key: String) -> [UInt8]?

    /// Keeps a value under a key; nil forgets it.
    func set(_ value: [UInt8]?, for key: String)

    /// Counts a key's number up by one, for good, and returns it: 1 the first time.
    func nextValue(for key: String) -> Int64

    /// Does work that may take a while, such as waiting for a disk; called now and then by the network thread.
    func tidy()

    /// Why the store keeps nothing across a crash; nil while it does.
    var degradation: String? { get }
}
