import DequeModule

/// An input of a command that follows a daemon, and the time at which it came.
package struct LiveInput: Sendable {
    package enum Content: Sendable {
        case occurrence(Subscriber.Occurrence)
        case key(UInt8)
        case tick
        /// A signal asks the command to end in good order.
        case interrupted
    }

    package var content: Content
    /// The time at which it came, in seconds since the command began to listen; its time in the queue does not count.
    package var seconds: Double
    /// The state of the connection, in words.
    package var connection = ""
    /// A message for the person at the terminal.
    package var note: String?
    /// Whether no other input was waiting behind it.
    package var isLast = false
    /// The number of messages dropped so far.
    package var dropped = 0

    /// Its share of what the backlog limits: messages, frames, bytes.
    fileprivate var amounts: SIMD3<Int> {
        guard case .occurrence(.message(let message)) = content else { return .zero }
        var amounts: SIMD3 = [1, 0, message.payload.count]
        if case .picture(let picture) = message.content, case .frame = picture.content { amounts[1] = 1 }
        return amounts
    }

    fileprivate var isTick: Bool { if case .tick = content { true } else { false } }
}

/// The inputs that wait, in order, for a command that may be slower than they come.
///
/// When there are too many messages, frames or bytes, the oldest are dropped, so that memory is bounded. Keys, signals
/// and changes of the connection are all kept; at most one tick waits, because a late one says as much as several.
struct LiveBacklog {
    private(set) var dropped = 0
    private let most: SIMD3<Int>
    private var waiting: Deque<LiveInput> = []
    private var amounts = SIMD3<Int>.zero
    private let start = ContinuousClock.now

    /// Makes a backlog for `capacity` messages, of which 16 may be frames: half a second, 50 MB at 1080p. The limit of
    /// 32 MiB is for the messages of a hostile publisher.
    init(capacity: Int) { most = [max(1, capacity), 16, 32 << 20] }

    /// Appends a new input.
    mutating func put(_ content: LiveInput.Content) {
        let input = LiveInput(content: content, seconds: start.duration(to: .now) / .seconds(1))
        guard !input.isTick || !waiting.contains(where: \.isTick) else { return }
        let new = input.amounts
        for kind in new.indices where new[kind] > 0 {
            // A message that is larger than the limit waits alone.
            while amounts[kind] + new[kind] > most[kind],
                let oldest = waiting.firstIndex(where: { $0.amounts[kind] > 0 })
            {
                amounts &-= waiting.remove(at: oldest).amounts
                dropped += 1
            }
        }
        waiting.append(input)
        amounts &+= new
    }

    mutating func removeFirst() -> LiveInput? {
        guard var input = waiting.popFirst() else { return nil }
        amounts &-= input.amounts
        input.isLast = waiting.isEmpty
        input.dropped = dropped
        return input
    }
}

extension Inbox<LiveBacklog> {
    /// Appends a new input under the lock, so that times in the backlog never go back.
    func put(_ content: LiveInput.Content) { put { $0.put(content) } }

    func next() async -> LiveInput? { await next { $0.removeFirst() } }
}
