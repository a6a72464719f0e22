/// An open page and the messages that wait for it: only the newest of each camera, so that a slow page skips pictures.
final class Viewer: HTTPStream {
    private struct Box {
        /// The messages to send, in order: first the state, whose base is nil, then at most one per camera.
        var waiting: [(base: String?, message: [UInt8])] = []
        var isOver = false
        var ready: (@Sendable () -> Void)?
    }

    /// How long a request for a single picture waits for the picture.
    private static let patience = Duration.seconds(6)

    let wish: ViewerWish
    private let began = ContinuousClock.now
    private let box = Mutex(Box())

    init(_ wish: ViewerWish) { self.wish = wish }

    /// Makes a message to a page: the lengths of JSON, SVG and JPEG as big-endian 32-bit numbers, then these parts.
    static func message(_ json: [UInt8], svg: [UInt8] = [], jpeg: [UInt8] = []) -> [UInt8] {
        let parts = [json, svg, jpeg]
        let lengths = parts.flatMap { part in withUnsafeBytes(of: UInt32(part.count).bigEndian) { Array($0) } }
        return parts.reduce(into: lengths) { $0 += $1 }
    }

    var isOver: Bool { box.withLock(\.isOver) }

    /// Queues a camera's message or, for a nil `base`, the state, which goes first. Replaces an older one that waits.
    func put(_ message: [UInt8], of base: String?) {
        change { box in
            // A client that waits for a single picture gets no state, but is woken, as its time may be up.
            if base == nil, wish.isPicture { return }
            if let place = box.waiting.firstIndex(where: { $0.base == base }) {
                box.waiting[place].message = message
            } else {
                box.waiting.insert((base, message), at: base == nil ? 0 : box.waiting.count)
            }
        }
    }

    /// Drops the message of a camera that is shown no more.
    func drop(_ base: String) { change { $0.waiting.removeAll { $0.base == base } } }

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    /// The next message: the state if it waits, otherwise the picture that has waited longest.
    func next() -> HTTPStreamPart {
        box.withLock { box in
            if box.isOver { return .end }
            guard !box.waiting.isEmpty else {
                return wish.isPicture && began.duration(to: .now) > Self.patience ? .end : .none
            }
            box.isOver = wish.isPicture
            return .bytes(box.waiting.removeFirst().message)
        }
    }

    /// Ends the page and drops waiting messages.
    func end() { change { $0 = Box(isOver: true, ready: $0.ready) } }

    private func change(_ body: (inout Box) -> Void) {
        let ready = box.withLock { box in
            if !box.isOver { body(&box) }
            return box.ready
        }
        ready?()
    }
}
