/// What a command that follows a daemon reacts to, and since when it has waited.
struct LiveInput: Sendable {
    enum Content: Sendable {
        case occurrence(Subscriber.Occurrence)
        case key(UInt8)
        case tick
        /// A signal: the command is to end in good order.
        case interrupted
    }

    var content: Content
    /// When it came, in seconds since the command began to listen: however long it had to wait for its reader.
    var seconds: Double
    /// How the connection is, in words, if `Subscriber.follow` hands it on.
    var connection = ""
}

/// The inputs that wait for a command that may be slower than they come, in order.
///
/// Of the messages only the newest are kept, and of frames even fewer, so that a command that is held up needs no more
/// and more memory; keys, signals and changes of the connection always are. A tick waits at most once: a late one says as much as several.
struct LiveBacklog {
    /// How many frames of a session in this program may wait: half a second of 1080p are 50 MB.
    private static let frames = 16
    /// Bytes that all waiting messages may have: those of a hostile publisher are large.
    private static let mostBytes = 32 << 20

    /// How many messages may wait.
    let capacity: Int
    private(set) var dropped = 0

    /// Whether nothing is added any more.
    var isClosed = false

    private var waiting: [LiveInput] = []
    private var (messages, frames, bytes) = (0, 0, 0)
    private var hasTick = false

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var isEmpty: Bool { waiting.isEmpty }

    mutating func put(_ input: LiveInput) {
        guard !isClosed, !(hasTick && input.isTick) else { return }
        if input.isFrame, frames == Self.frames { dropOldest(\.isFrame) }
        while input.isMessage, messages == capacity || (messages > 0 && bytes + input.byteCount > Self.mostBytes) {
            dropOldest(\.isMessage)
        }
        waiting.append(input)
        count(input, 1)
    }

    mutating func take() -> LiveInput? {
        guard !waiting.isEmpty else { return nil }
        let input = waiting.removeFirst()
        count(input, -1)
        return input
    }

    private mutating func dropOldest(_ isKind: (LiveInput) -> Bool) {
        guard let oldest = waiting.firstIndex(where: isKind) else { return }
        count(waiting.remove(at: oldest), -1)
        dropped += 1
    }

    private mutating func count(_ input: LiveInput, _ difference: Int) {
        if input.isTick { hasTick = difference > 0 }
        if input.isFrame { frames += difference }
        guard input.isMessage else { return }
        messages += difference
        bytes += difference * input.byteCount
    }
}

extension LiveInput {
    fileprivate var isTick: Bool {
        if case .tick = content { true } else { false }
    }

    private var message: CameraMessage? {
        if case .occurrence(.message(let message)) = content { message } else { nil }
    }

    fileprivate var isMessage: Bool { message != nil }

    fileprivate var byteCount: Int { message?.payload.count ?? 0 }

    fileprivate var isFrame: Bool {
        if case .picture(let picture) = message?.content, case .frame = picture.content { true } else { false }
    }
}
