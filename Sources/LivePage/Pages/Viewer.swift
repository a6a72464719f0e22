import HTTPServing
import Synchronization

/// One open page, and for each camera the newest message that waits for it: a slow page falls behind by one picture.
final class Viewer: HTTPStream {
    private struct Box {
        /// The messages to send, in order: the state, which has no base, and each camera's picture.
        var waiting: [(base: String?, message: [UInt8])] = []
        var isOver = false
        var ready: (@Sendable () -> Void)?
    }

    /// The time within which a single picture must come.
    private static let patience = Duration.seconds(6)

    let wish: ViewerWish
    /// The login that the page belongs to.
    let session: String?
    private let began = ContinuousClock.now
    private let box = Mutex(Box())

    init(_ wish: ViewerWish, session: String? = nil) {
        self.wish = wish
        self.session = session
    }

    /// A message to a page: three big-endian lengths of four bytes, then JSON header, SVG and JPEG; any may be empty.
    static func message(_ json: [UInt8], svg: [UInt8] = [], jpeg: [UInt8] = []) -> [UInt8] {
        let parts = [json, svg, jpeg]
        let lengths = parts.flatMap { part in withUnsafeBytes(of: UInt32(part.count).bigEndian) { Array($0) } }
        return parts.reduce(into: lengths) { $0 += $1 }
    }

    var isOver: Bool { box.withLock(\.isOver) }

    /// Puts a camera's newest picture in the place of one that still waits; the state, which has no base, comes first.
    func put(_ message: [UInt8], of base: String?) {
        change { box in
            // A client that waits for a single picture gets no state; it is woken all the same, as its time may be up.
            if base == nil, wish.isPicture { return }
            if let place = box.waiting.firstIndex(where: { $0.base == base }) {
                box.waiting[place].message = message
            } else {
                box.waiting.insert((base, message), at: base == nil ? 0 : box.waiting.count)
            }
        }
    }

    func begin(ready: @escaping @Sendable () -> Void) { box.withLock { $0.ready = ready } }

    /// The state if one waits, otherwise the picture that has been waiting the longest.
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

    /// Ends the page; what waits is dropped.
    func end() { change { $0 = Box(isOver: true, ready: $0.ready) } }

    private func change(_ body: (inout Box) -> Void) {
        let ready = box.withLock { box in
            if !box.isOver { body(&box) }
            return box.ready
        }
        ready?()
    }
}
