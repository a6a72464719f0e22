/// An input of a command that follows cameras: a message, a key, a tick or a signal.
package struct LiveInput: Sendable {
    package enum Content: Sendable {
        case occurrence(Subscriber.Occurrence)
        case key(UInt8)
        case tick
        /// A signal, such as Ctrl-C, asks the command to end in good order.
        case interrupted
    }

    package var content: Content
    /// The time of arrival in the queue, in seconds since the command began to listen.
    package var seconds: Double
    /// The state of the connection in words, to be shown to the user.
    package var connection = ""
    /// A message to the user at the terminal.
    package var note: String?
    /// Whether the queue was empty after this input was taken from it.
    package var isLast = false
    /// The number of messages dropped since the command began to listen.
    package var dropped = 0

    /// What the input adds to the amounts that `LiveBacklog` limits: messages, frames, and bytes.
    fileprivate var amounts: SIMD3<Int> {
        guard case .occurrence(.message(let message)) = content else { return .zero }
        var amounts: SIMD3 = [1, 0, message.base.utf8.count + message.payload.count]
        if case .picture(let picture) = message.content, case .frame = picture.content { amounts[1] = 1 }
        return amounts
    }

    fileprivate var isTick: Bool { if case .tick = content { true } else { false } }
}

/// The queue of a command's inputs, which may come faster than the command takes them. If messages, frames or bytes are
/// too many, the oldest messages are dropped, but no keys, signals or connection changes. At most one tick is queued.
struct LiveBacklog {
    private(set) var dropped = 0
    private var waiting: LimitedQueue<LiveInput>
    private var hasTick = false
    private let start = ContinuousClock.now

    /// Makes a queue for `capacity` messages, with at most 16 frames (half a second, 50 MB at 1080p).
    init(capacity: Int) {
        waiting = LimitedQueue(atMost: [max(1, capacity), 16, LimitedQueue<LiveInput>.mostBytes]) { $0.amounts }
    }

    mutating func put(_ content: LiveInput.Content) {
        let input = LiveInput(content: content, seconds: start.duration(to: .now) / .seconds(1))
        guard !input.isTick || !hasTick else { return }
        hasTick = hasTick || input.isTick
        dropped += waiting.put(input).count
    }

    mutating func removeFirst() -> LiveInput? {
        guard var input = waiting.removeFirst() else { return nil }
        if input.isTick { hasTick = false }
        input.isLast = waiting.isEmpty
        input.dropped = dropped
        return input
    }
}

extension Inbox<LiveBacklog> {
    /// Appends an input. Its time is taken under the lock, so that times in the queue never decrease.
    func put(_ content: LiveInput.Content) { put { $0.put(content) } }

    func next() async -> LiveInput? { await next { $0.removeFirst() } }
}
